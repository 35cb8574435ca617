-- Passages that several documents have: a chunk each in the catalog, of which the indexes and `vectors` hold one.

CREATE TABLE IF NOT EXISTS duplicates (
    chunk_id    TEXT NOT NULL,                  -- of a chunk that the indexes do not hold
    version     INTEGER NOT NULL,               -- as in chunks
    stored      TEXT NOT NULL,                  -- id of the visible chunk that they hold in its place
    PRIMARY KEY (chunk_id, version)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS duplicates_of_stored ON duplicates (stored);

-- Keys by which a new chunk finds those that the indexes hold and that may say the same.
CREATE TABLE IF NOT EXISTS keyed_chunks (
    id          INTEGER PRIMARY KEY,
    chunk_id    TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS chunk_keys (
    key         INTEGER NOT NULL,               -- 32 bits of a hash
    id          BIGINT NOT NULL,                -- as in keyed_chunks
    PRIMARY KEY (key, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS chunk_keys_of_chunk ON chunk_keys (id);
