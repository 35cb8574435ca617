-- What the catalog's statements call and SQLite has: the same functions for PostgreSQL.

CREATE OR REPLACE FUNCTION instr(whole TEXT, part TEXT) RETURNS INTEGER
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT strpos(whole, part) $$;

-- A pattern of a shell, with * and ? and classes of one character, as a regular expression.
CREATE OR REPLACE FUNCTION glob(pattern TEXT, whole TEXT) RETURNS BOOLEAN
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT whole ~ ('(?s)^' || replace(replace(replace(
        regexp_replace(pattern, '([][{}()+^$.|\\])', '\\\1', 'g'), '\[\[\]', '\['), '*', '.*'), '?', '.') || '$')
$$;

-- What lies at $."one name", whatever letters it has, or at $.some.names.
CREATE OR REPLACE FUNCTION json_at(whole TEXT, path TEXT) RETURNS JSONB
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN path LIKE '$."%' THEN whole::JSONB -> substr(path, 4, length(path) - 4)
        ELSE whole::JSONB #> string_to_array(substr(path, 3), '.') END
$$;

-- A value as text, and NULL for that of JSON; who compares numbers looks at json_type first.
CREATE OR REPLACE FUNCTION json_extract(whole TEXT, path TEXT) RETURNS TEXT
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT json_at(whole, path) #>> '{}' $$;

CREATE OR REPLACE FUNCTION json_kind(found JSONB) RETURNS TEXT
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(found)
        WHEN 'string' THEN 'text'
        WHEN 'number' THEN CASE WHEN found::TEXT ~ '[.eE]' THEN 'real' ELSE 'integer' END
        WHEN 'boolean' THEN found::TEXT
        ELSE jsonb_typeof(found)
    END
$$;

CREATE OR REPLACE FUNCTION json_type(whole TEXT, path TEXT) RETURNS TEXT
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT json_kind(json_at(whole, path)) $$;

CREATE OR REPLACE FUNCTION json_parts(found JSONB) RETURNS TABLE (key TEXT, value TEXT, atom TEXT, type TEXT)
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT key, one #>> '{}', CASE WHEN jsonb_typeof(one) IN ('array', 'object') THEN NULL ELSE one #>> '{}' END,
        json_kind(one)
    FROM (
        SELECT (number - 1)::TEXT AS key, one
        FROM jsonb_array_elements(CASE jsonb_typeof(found) WHEN 'array' THEN found ELSE '[]' END)
            WITH ORDINALITY AS items(one, number)
        UNION ALL
        SELECT name, one FROM jsonb_each(CASE jsonb_typeof(found) WHEN 'object' THEN found ELSE '{}' END)
            AS pairs(name, one)
        UNION ALL
        SELECT NULL, found WHERE jsonb_typeof(found) NOT IN ('array', 'object')
    ) AS parts
$$;

CREATE OR REPLACE FUNCTION json_each(whole TEXT) RETURNS TABLE (key TEXT, value TEXT, atom TEXT, type TEXT)
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT * FROM json_parts(whole::JSONB) $$;

CREATE OR REPLACE FUNCTION json_each(whole TEXT, path TEXT) RETURNS TABLE (key TEXT, value TEXT, atom TEXT, type TEXT)
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT * FROM json_parts(json_at(whole, path)) $$;

CREATE OR REPLACE FUNCTION json_remove(whole TEXT, VARIADIC paths TEXT[]) RETURNS TEXT
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    kept JSONB := whole::JSONB;
    path TEXT;
BEGIN
    FOREACH path IN ARRAY paths LOOP
        kept := kept - substr(path, 3);
    END LOOP;
    RETURN kept::TEXT;
END
$$;
