-- What the viewer filters, orders and searches by; viewer_index.py fills it.

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
