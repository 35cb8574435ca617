-- Tokens with names that hold on several machines; those of a single one stand in its tokens.json.

CREATE TABLE IF NOT EXISTS tokens (
    id     TEXT PRIMARY KEY,                    -- 8 hexadecimal digits
    name   TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL                        -- JSON: rights, end, and the hash of the token
);
