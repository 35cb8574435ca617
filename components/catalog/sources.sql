-- Where documents come from beside files of this machine: web sites, repositories, mailboxes. What was read lies in files.

CREATE TABLE IF NOT EXISTS sources (
    key         TEXT PRIMARY KEY,               -- of collection and address
    collection  TEXT NOT NULL,
    address     TEXT NOT NULL,                  -- without credentials
    next_at     TEXT,                           -- from when on a service syncs it again; NULL: when somebody asks
    record      TEXT NOT NULL                   -- JSON: what came of the last time
);

CREATE TABLE IF NOT EXISTS source_items (
    key         TEXT NOT NULL REFERENCES sources(key),
    item        TEXT NOT NULL,                  -- as the source names it
    path        TEXT NOT NULL,                  -- where its content lies, from the hub's folder on, with /
    version     TEXT,                           -- of that content; NULL: the source cannot say
    url         TEXT NOT NULL,                  -- of the origin, for a reader; may be empty
    modified    TEXT,                           -- ISO 8601 in UTC
    PRIMARY KEY (key, item)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS source_items_by_path ON source_items (path);
