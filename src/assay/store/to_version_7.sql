-- In version 6 triggers filled the viewer's tables with every reply. Now the viewer fills them when it opens.
CREATE TABLE indexed (                 -- one row: what the viewer's tables hold so far
  scores      INTEGER NOT NULL,        -- up to this scores.id
  replies     INTEGER NOT NULL         -- up to this replies.id
) STRICT;
INSERT INTO indexed
SELECT iif(filled, (SELECT coalesce(max(id), 0) FROM scores), 0), iif(filled, (SELECT coalesce(max(id), 0) FROM replies), 0)
FROM (SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'score_is_stored') AS filled);

DROP TRIGGER IF EXISTS suite_is_stored;
DROP TRIGGER IF EXISTS test_is_stored;
DROP TRIGGER IF EXISTS reply_is_stored;
DROP TRIGGER IF EXISTS reply_is_deleted;
DROP TRIGGER IF EXISTS suite_is_chosen;
DROP TRIGGER IF EXISTS score_is_stored;
DROP VIEW IF EXISTS outcomes;
