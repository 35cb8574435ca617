-- Work that runs in processes of its own: ingests and reindexes, and what became of them.

CREATE TABLE IF NOT EXISTS jobs (
    job_id      TEXT PRIMARY KEY,               -- 32 hexadecimal digits
    state       TEXT NOT NULL,                  -- queued | running | finished | failed | interrupted | cancelled
    collection  TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    idempotency TEXT,                           -- who started it, and the key that came with it
    record      TEXT NOT NULL                   -- JSON: all that is known of it
);
CREATE INDEX IF NOT EXISTS jobs_by_time ON jobs (created_at DESC, job_id);
CREATE INDEX IF NOT EXISTS jobs_by_key ON jobs (idempotency);

CREATE TABLE IF NOT EXISTS job_events (
    job_id      TEXT NOT NULL REFERENCES jobs(job_id),
    number      INTEGER NOT NULL,               -- from 1
    event       TEXT NOT NULL,                  -- a state, or progress
    data        TEXT NOT NULL,                  -- JSON
    PRIMARY KEY (job_id, number)
) WITHOUT ROWID;
