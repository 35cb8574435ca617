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
    id          INTEGER NOT NULL,               -- as in keyed_chunks
    PRIMARY KEY (key, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS chunk_keys_of_chunk ON chunk_keys (id);

CREATE TRIGGER IF NOT EXISTS chunk_deleted AFTER DELETE ON chunks BEGIN
    DELETE FROM duplicates WHERE chunk_id = OLD.chunk_id AND version = OLD.version;
    DELETE FROM keyed_chunks WHERE chunk_id = OLD.chunk_id
        AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunk_id = OLD.chunk_id);
END;
CREATE TRIGGER IF NOT EXISTS keyed_chunk_deleted AFTER DELETE ON keyed_chunks BEGIN
    DELETE FROM chunk_keys WHERE id = OLD.id;
END;
