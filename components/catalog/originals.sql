-- The files that documents were made from. The copies lie beside the catalog, one for each sha256 and suffix.

CREATE TABLE IF NOT EXISTS originals (
    doc_id      TEXT NOT NULL,
    sha256      TEXT NOT NULL,                  -- that of the visible version, or of one that is about to be published
    suffix      TEXT NOT NULL,                  -- of the file, in lower case
    PRIMARY KEY (doc_id, sha256)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS originals_of_file ON originals (sha256, suffix);

-- Files that may have become unused.
CREATE TABLE IF NOT EXISTS unused_originals (
    sha256      TEXT NOT NULL,
    suffix      TEXT NOT NULL,
    PRIMARY KEY (sha256, suffix)
) WITHOUT ROWID;
