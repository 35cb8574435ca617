-- Tokens with names that several machines made; those that a single one makes stand in its tokens.json.

CREATE TABLE IF NOT EXISTS tokens (
    id     TEXT PRIMARY KEY,                    -- 8 hexadecimal digits
    name   TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL                        -- JSON: rights, end, and the hash of the token
);
