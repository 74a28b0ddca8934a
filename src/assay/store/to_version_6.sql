-- What the viewer filters, orders and searches by. Triggers keep it up to date with suites, replies and scores.

CREATE TABLE tests (                   -- of every suite
  id          INTEGER PRIMARY KEY,
  digest      TEXT NOT NULL REFERENCES suites (digest),
  position    INTEGER NOT NULL,        -- of its category, times a million, and in the category
  test_id     TEXT NOT NULL,
  category    TEXT NOT NULL,
  question    TEXT NOT NULL,           -- every turn, and the options
  pass_mark   REAL NOT NULL,           -- the suite's
  body        TEXT NOT NULL            -- Case as JSON
) STRICT;
CREATE INDEX tests_of_suite ON tests (digest, position);

CREATE TABLE tries (                   -- the newest score of each try
  run_id      TEXT NOT NULL REFERENCES runs (id),
  suite       TEXT NOT NULL,
  test_id     TEXT NOT NULL,
  model       INTEGER NOT NULL,
  repeat      INTEGER NOT NULL,
  value       REAL,                    -- NULL: failed or unscored
  missing     TEXT,                    -- no_answer, unscored or failed
  score_id    INTEGER NOT NULL,
  reply_id    INTEGER NOT NULL,
  test        INTEGER,                 -- tests.id, as the run has it now
  PRIMARY KEY (run_id, suite, test_id, model, repeat)
) STRICT, WITHOUT ROWID;
CREATE INDEX tries_by_reply ON tries (run_id, reply_id, test);
CREATE INDEX tries_by_score ON tries (run_id, score_id);

CREATE TABLE results (                 -- one row per test of a run
  run_id         TEXT NOT NULL REFERENCES runs (id),
  suite_position INTEGER NOT NULL,
  position       INTEGER NOT NULL,
  test           INTEGER NOT NULL REFERENCES tests (id),
  suite          TEXT NOT NULL,
  test_id        TEXT NOT NULL,
  category       TEXT NOT NULL,
  pass_mark      REAL NOT NULL,
  outcomes       TEXT NOT NULL,        -- a letter per model: p(ass) f(ail) n(o answer) u(nscored) x(failed) .(not asked)
  PRIMARY KEY (run_id, suite_position, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX results_by_test ON results (run_id, suite, test_id, pass_mark, test);
CREATE INDEX results_by_category ON results (run_id, suite_position, suite, category);

-- Full-text search keeps the words alone; the texts stay where they are.
CREATE VIEW answers AS
  SELECT id, json_extract(body, '$.text') || ' ' || json_extract(body, '$.predictions') AS answer FROM replies WHERE kind = 'answered';
CREATE VIRTUAL TABLE question_words USING fts5 (test_id, question, content='tests', content_rowid='id');
CREATE VIRTUAL TABLE answer_words USING fts5 (answer, content='answers', content_rowid='id');

-- What became of a test, over its repeats: the same as in summary/trials.py, which a test compares.
CREATE VIEW outcomes AS
  SELECT x.run_id, x.suite, x.test_id, x.model,
    CASE
      WHEN count(x.value) = 0 THEN iif(max(x.missing = 'unscored'), 'u', 'x')
      WHEN count(x.value) = sum(x.missing IS 'no_answer') THEN 'n'
      WHEN avg(x.value) >= r.pass_mark - 1e-9 THEN 'p'
      ELSE 'f'
    END AS outcome
  FROM tries x JOIN results r ON r.run_id = x.run_id AND r.suite = x.suite AND r.test_id = x.test_id
  GROUP BY x.run_id, x.suite, x.test_id, x.model;

CREATE TRIGGER suite_is_stored AFTER INSERT ON suites BEGIN
  INSERT INTO tests (digest, position, test_id, category, question, pass_mark, body)
  SELECT s.digest, 1000000 * c.key + t.key, json_extract(t.value, '$.id'), json_extract(t.value, '$.category'),
    (SELECT group_concat(json_extract(m.value, '$.content'), char(10)) FROM json_each(t.value, '$.messages') m)
      || coalesce((SELECT char(10) || group_concat(o.value, char(10)) FROM json_each(t.value, '$.check.choices') o), ''),
    s.pass_mark, t.value
  FROM (SELECT digest, json_extract(body, '$.pass_mark') AS pass_mark, json_extract(body, '$.categories') AS categories
    FROM suites WHERE digest = new.digest LIMIT 1) s,  -- the limit keeps it from being read again for every test
  json_each(s.categories) c, json_each(c.value, '$.cases') t;
END;

CREATE TRIGGER test_is_stored AFTER INSERT ON tests BEGIN
  INSERT INTO question_words (rowid, test_id, question) VALUES (new.id, new.test_id, new.question);
END;

CREATE TRIGGER reply_is_stored AFTER INSERT ON replies WHEN new.kind = 'answered' BEGIN
  INSERT INTO answer_words (rowid, answer)
  VALUES (new.id, json_extract(new.body, '$.text') || ' ' || json_extract(new.body, '$.predictions'));
END;

CREATE TRIGGER reply_is_deleted AFTER DELETE ON replies WHEN old.kind = 'answered' BEGIN
  INSERT INTO answer_words (answer_words, rowid, answer)
  VALUES ('delete', old.id, json_extract(old.body, '$.text') || ' ' || json_extract(old.body, '$.predictions'));
END;

CREATE TRIGGER suite_is_chosen AFTER INSERT ON run_suites BEGIN
  DELETE FROM results WHERE run_id = new.run_id AND suite_position = new.position;
  INSERT INTO results
  SELECT r.run_id, r.position, t.position, t.id, s.name, t.test_id, t.category, t.pass_mark,
    (SELECT group_concat('.', '') FROM run_models m WHERE m.run_id = r.run_id)
  FROM run_suites r JOIN suites s ON s.digest = r.digest JOIN tests t ON t.digest = r.digest
  WHERE r.run_id = new.run_id AND r.position = new.position;
  UPDATE results SET outcomes = (SELECT group_concat(coalesce(o.outcome, '.'), '') FROM run_models m
    LEFT JOIN outcomes o ON o.run_id = m.run_id AND o.suite = results.suite AND o.test_id = results.test_id AND o.model = m.position
    WHERE m.run_id = results.run_id)
  WHERE run_id = new.run_id AND suite_position = new.position
    AND EXISTS (SELECT 1 FROM tries WHERE tries.run_id = new.run_id);
  UPDATE tries SET test = r.test FROM results r
  WHERE tries.run_id = new.run_id AND r.run_id = new.run_id AND r.suite_position = new.position
    AND r.suite = tries.suite AND r.test_id = tries.test_id;
END;

CREATE TRIGGER score_is_stored AFTER INSERT ON scores WHEN new.suite NOT GLOB 'measure/*' BEGIN
  INSERT OR REPLACE INTO tries
  VALUES (new.run_id, new.suite, new.test_id, new.model, new.repeat, new.value,
    CASE WHEN new.body IS NULL THEN 'failed' WHEN new.value IS NULL THEN 'unscored'
      WHEN json_extract(new.body, '$.no_answer') THEN 'no_answer' END,
    new.id, new.reply_id,
    (SELECT r.test FROM results r WHERE r.run_id = new.run_id AND r.suite = new.suite AND r.test_id = new.test_id));
  UPDATE results
  SET outcomes = substr(outcomes, 1, new.model)
    || (SELECT o.outcome FROM outcomes o WHERE o.run_id = new.run_id AND o.suite = new.suite AND o.test_id = new.test_id AND o.model = new.model)
    || substr(outcomes, new.model + 2)
  WHERE run_id = new.run_id AND suite = new.suite AND test_id = new.test_id;
END;

-- What an older store has goes through the triggers once.
REPLACE INTO suites SELECT * FROM suites;
REPLACE INTO run_suites SELECT * FROM run_suites;
INSERT INTO answer_words (rowid, answer) SELECT id, answer FROM answers;
REPLACE INTO scores SELECT * FROM scores ORDER BY id;
