-- The catalog: the truth about collections, documents and chunks. Both indexes are derived from it.
-- Text hashes, ids and fingerprints are lower-case hexadecimal; times are ISO 8601 in UTC.

CREATE TABLE IF NOT EXISTS collections (
    name        TEXT PRIMARY KEY,
    slug        TEXT NOT NULL UNIQUE,           -- what every store accepts as a name
    binding     TEXT NOT NULL DEFAULT '{}',     -- JSON: graph, store template, embedder, tokenizer
    dense_generation  INTEGER NOT NULL,         -- number of the physical index in use (see generations)
    sparse_generation INTEGER NOT NULL,
    commits     BIGINT NOT NULL DEFAULT 0,     -- raised by every batch: tells open readers to reopen
    dirty       INTEGER NOT NULL DEFAULT 0,     -- 1 while a batch is written, and after its writer was killed
    damaged     TEXT NOT NULL DEFAULT '[]',     -- JSON list of legs whose files were found broken
    manifest    TEXT NOT NULL DEFAULT '{}',     -- JSON: leg -> file -> [size, mtime_ns, crc32]
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    changes_from BIGINT NOT NULL DEFAULT 0      -- commits from here on are told by changes
);

-- The last number given to a physical index. None is ever used twice: what a killed process left is never taken for new.
CREATE TABLE IF NOT EXISTS generations (last INTEGER NOT NULL);
INSERT INTO generations SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM generations);

CREATE TABLE IF NOT EXISTS documents (
    doc_id      TEXT PRIMARY KEY,
    collection  TEXT NOT NULL REFERENCES collections(name),
    source      TEXT NOT NULL,                  -- absolute path, or URL
    status      TEXT NOT NULL,                  -- pending | ready | failed
    version     INTEGER NOT NULL DEFAULT 0,     -- chunks of this version are visible; 0 = none yet
    sha256      TEXT,
    size        BIGINT,
    recipe      TEXT,                           -- fingerprint of the stages that made the chunks from the file
    doc_type    TEXT,
    title       TEXT,
    language    TEXT,
    pages       INTEGER,
    chunks      INTEGER NOT NULL DEFAULT 0,
    meta        TEXT NOT NULL DEFAULT '{}',     -- JSON: what the user and the converter said of the document
    error       TEXT,                           -- last failure, also of a document whose earlier version is ready
    remedy      TEXT,
    ingested_at TEXT,
    updated_at  TEXT NOT NULL,
    UNIQUE (collection, source)
);

CREATE TABLE IF NOT EXISTS chunks (
    chunk_id    TEXT NOT NULL,
    version     INTEGER NOT NULL,
    doc_id      TEXT NOT NULL REFERENCES documents(doc_id),
    collection  TEXT NOT NULL,
    ordinal     INTEGER NOT NULL,
    content     TEXT NOT NULL,
    section     TEXT NOT NULL DEFAULT '',
    page        INTEGER,                        -- the one with most of its text
    page_last   INTEGER,
    start       INTEGER NOT NULL,
    "end"       INTEGER NOT NULL,
    language    TEXT NOT NULL,
    text_hash   TEXT NOT NULL,                  -- of the text that is embedded: key of vectors
    meta        TEXT NOT NULL DEFAULT '{}',
    page_first  INTEGER,
    tokens      BLOB,                           -- see token_rows.py; NULL where none are kept
    PRIMARY KEY (chunk_id, version)
);
CREATE INDEX IF NOT EXISTS chunks_of_document ON chunks (doc_id, version, ordinal);
CREATE INDEX IF NOT EXISTS chunks_of_text ON chunks (text_hash);
CREATE INDEX IF NOT EXISTS chunks_of_collection ON chunks (collection);
CREATE INDEX IF NOT EXISTS chunks_of_language ON chunks (collection, language, text_hash);

-- Chunk ids that are no longer visible and still have to leave both indexes.
CREATE TABLE IF NOT EXISTS removals (
    collection  TEXT NOT NULL,
    chunk_id    TEXT NOT NULL,
    PRIMARY KEY (collection, chunk_id)
) WITHOUT ROWID;

-- What each commit changed, where indexes of several machines follow the catalog: chunks to look up again.
CREATE TABLE IF NOT EXISTS changes (
    collection  TEXT NOT NULL,
    number      BIGINT NOT NULL,                -- of the commit
    chunk_id    TEXT NOT NULL,
    PRIMARY KEY (collection, number, chunk_id)
) WITHOUT ROWID;

-- Dense indexes in stores that no collection reads, not yet or no more; see left_indexes.py.
CREATE TABLE IF NOT EXISTS left_indexes (
    physical    TEXT PRIMARY KEY,
    slug        TEXT NOT NULL,
    store       TEXT NOT NULL                   -- JSON: the store's template
) WITHOUT ROWID;

-- Embeddings by content: little-endian float32. The only copy from which a dense index can be rebuilt.
CREATE TABLE IF NOT EXISTS vectors (
    text_hash   TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    vector      BLOB NOT NULL,
    UNIQUE (text_hash, fingerprint)
);
