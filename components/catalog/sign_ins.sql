-- People who have signed in to the pages by an issuer's word, on whichever machine.

CREATE TABLE IF NOT EXISTS sign_ins (
    id     TEXT PRIMARY KEY,                    -- SHA-256 of what the cookie holds
    ends   BIGINT NOT NULL,                     -- seconds since 1970
    record TEXT NOT NULL                        -- JSON: name, groups, and whose word it was
) WITHOUT ROWID;
