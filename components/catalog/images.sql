-- Pictures of documents. The files lie beside the catalog, one for each sha256.

CREATE TABLE IF NOT EXISTS images (
    image_id    TEXT NOT NULL,                  -- {doc_id}_{page}_{seq}
    version     INTEGER NOT NULL,               -- of the document; that of documents.version is visible
    doc_id      TEXT NOT NULL REFERENCES documents(doc_id),
    page        INTEGER,
    box         TEXT,                           -- JSON: left, top, right, bottom in points, origin at the top left
    kind        TEXT NOT NULL,                  -- raster | drawing | file
    mime        TEXT NOT NULL,
    width       INTEGER NOT NULL,
    height      INTEGER NOT NULL,
    size        BIGINT NOT NULL,
    sha256      TEXT NOT NULL,
    caption     TEXT NOT NULL DEFAULT '',
    alt         TEXT NOT NULL DEFAULT '',
    text        TEXT NOT NULL DEFAULT '',       -- words read in it
    description TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (image_id, version)
);
CREATE INDEX IF NOT EXISTS images_of_document ON images (doc_id, version);
CREATE INDEX IF NOT EXISTS images_of_file ON images (sha256);

-- Files that may have become unused.
CREATE TABLE IF NOT EXISTS unused_images (sha256 TEXT PRIMARY KEY) WITHOUT ROWID;

-- What the files of pictures are compared by, kept as long as the file. A print is the brightness at 64 x 64 places, and
-- empty where the file cannot be read; a vector (float32) is that of an image embedder.
CREATE TABLE IF NOT EXISTS picture_prints (sha256 TEXT PRIMARY KEY, print BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS picture_vectors (
    sha256      TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    vector      BLOB NOT NULL,
    UNIQUE (sha256, fingerprint)
);
