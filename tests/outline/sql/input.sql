-- Users; with a semicolon.
CREATE TABLE IF NOT EXISTS users (
    id BIGINT PRIMARY KEY, -- the key;
    name TEXT DEFAULT 'a;b'
);

CREATE INDEX idx_users ON users (name);

/* Finds
   one. */
CREATE OR REPLACE FUNCTION find_user(p_id BIGINT)
RETURNS users AS $$
BEGIN
    SELECT 1;
END;
$$ LANGUAGE plpgsql;

CREATE PROCEDURE touch()
BEGIN
    IF x THEN
        UPDATE users SET name = 'b';
    END IF;
END;

INSERT INTO users (id, name) VALUES
    (1, 'x'),
    (2, 'y');

SELECT *
FROM users
WHERE id = 1
