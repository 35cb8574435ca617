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

CREATE TRIGGER IF NOT EXISTS originals_deleted AFTER DELETE ON originals BEGIN
    INSERT OR IGNORE INTO unused_originals VALUES (OLD.sha256, OLD.suffix);
END;
CREATE TRIGGER IF NOT EXISTS original_of_deleted AFTER DELETE ON documents BEGIN
    DELETE FROM originals WHERE doc_id = OLD.doc_id;
END;
CREATE TRIGGER IF NOT EXISTS original_of_published AFTER UPDATE OF version ON documents BEGIN
    DELETE FROM originals WHERE doc_id = NEW.doc_id AND sha256 IS NOT NEW.sha256;
END;
