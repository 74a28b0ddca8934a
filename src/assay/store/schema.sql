-- The store. Version 10 (PRAGMA user_version): nothing was released before, and no checkout of those days takes it for
-- its own. A store of another version is refused.
-- Times are ISO 8601, UTC.
-- Replies and scores lie apart: scoring again asks no model again.

-- Newest means last written (rowid), never latest by the clock, which may be set back.
CREATE TABLE runs (
  id          TEXT PRIMARY KEY,        -- 20261115T101500Z-1a2b3c, the folder's name
  key         TEXT NOT NULL,           -- hash of models, suites, seed, repeats: the same command
  created     TEXT NOT NULL,
  finished    TEXT,                    -- NULL while requests are left
  first_reply INTEGER NOT NULL,        -- --fresh: only replies from this one on are this run's
  seed        INTEGER NOT NULL,
  repeats     INTEGER NOT NULL,
  command     TEXT NOT NULL,           -- repeats or continues the run
  version     TEXT NOT NULL,           -- of Assay
  sampling    TEXT NOT NULL DEFAULT 'fixed', -- whose sampling: ours (fixed) or the server's
  machine     TEXT,                    -- Machine as JSON: where it ran
  deciding    TEXT,                    -- DecisionPlan as JSON: which checkpoints, by which gate
  judging     TEXT                     -- Judging as JSON: by which judges, and how
) STRICT;
CREATE INDEX runs_by_key ON runs (key);

CREATE TABLE run_models (
  run_id      TEXT NOT NULL REFERENCES runs (id),
  position    INTEGER NOT NULL,
  spec        TEXT NOT NULL,
  slug        TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  facts       TEXT NOT NULL,           -- ModelFacts as JSON
  observed    TEXT,                    -- Observed as JSON: what was seen while it was asked
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE suites (                  -- whole, so that a report needs no file
  digest      TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  tests       INTEGER NOT NULL,
  body        TEXT NOT NULL            -- Suite as JSON
) STRICT;

CREATE TABLE run_suites (
  run_id      TEXT NOT NULL REFERENCES runs (id),
  position    INTEGER NOT NULL,
  digest      TEXT NOT NULL REFERENCES suites (digest),
  path        TEXT NOT NULL,           -- where it lay, for scoring again
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE requests (
  id          TEXT PRIMARY KEY,        -- content hash
  fingerprint TEXT NOT NULL,
  suite       TEXT NOT NULL,
  test_id     TEXT NOT NULL,
  turn        INTEGER NOT NULL,
  repeat      INTEGER NOT NULL,
  body        TEXT NOT NULL            -- Work as JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE replies (
  id          INTEGER PRIMARY KEY,
  request_id  TEXT NOT NULL REFERENCES requests (id),
  run_id      TEXT NOT NULL REFERENCES runs (id),
  kind        TEXT NOT NULL,           -- answered, chosen, read, timed, failed
  created     TEXT NOT NULL,
  body        TEXT NOT NULL            -- Reply as JSON
) STRICT;
CREATE INDEX replies_by_request ON replies (request_id, kind);
CREATE INDEX replies_by_run ON replies (run_id);

CREATE TABLE scores (                  -- the newest one of a try counts
  id          INTEGER PRIMARY KEY,
  run_id      TEXT NOT NULL REFERENCES runs (id),
  model       INTEGER NOT NULL,        -- run_models.position
  suite       TEXT NOT NULL,
  test_id     TEXT NOT NULL,
  repeat      INTEGER NOT NULL,
  reply_id    INTEGER NOT NULL REFERENCES replies (id),
  created     TEXT NOT NULL,
  value       REAL,                    -- NULL: failed or unscored
  body        TEXT                     -- Score as JSON; NULL: the request failed
) STRICT;
CREATE INDEX scores_of_try ON scores (run_id, model, suite, test_id, repeat, id);

CREATE TABLE verdicts (                -- the newest one of a try counts
  id          INTEGER PRIMARY KEY,
  run_id      TEXT NOT NULL REFERENCES runs (id),
  model       INTEGER NOT NULL,        -- run_models.position
  suite       TEXT NOT NULL,
  test_id     TEXT NOT NULL,
  repeat      INTEGER NOT NULL,
  reply_id    INTEGER NOT NULL REFERENCES replies (id),
  created     TEXT NOT NULL,
  body        TEXT NOT NULL            -- FinalJudgement as JSON: evidence, judgements, scores
) STRICT;
CREATE INDEX verdicts_of_try ON verdicts (run_id, model, suite, test_id, repeat, id);

CREATE TABLE reviews (                 -- of each person the newest one of an answer counts
  id          INTEGER PRIMARY KEY,
  run_id      TEXT NOT NULL REFERENCES runs (id),
  model       INTEGER NOT NULL,        -- run_models.position
  suite       TEXT NOT NULL,
  test_id     TEXT NOT NULL,
  repeat      INTEGER NOT NULL,
  reply_id    INTEGER NOT NULL REFERENCES replies (id),
  author      TEXT NOT NULL,
  created     TEXT NOT NULL,
  withdrawn   TEXT,                    -- when its author took it back
  body        TEXT NOT NULL            -- Review as JSON
) STRICT;
CREATE INDEX reviews_by_reply ON reviews (reply_id);
CREATE INDEX reviews_by_run ON reviews (run_id);

CREATE TABLE hidden_runs (             -- in no leaderboard; nothing of them is removed
  run_id      TEXT PRIMARY KEY REFERENCES runs (id)
) STRICT, WITHOUT ROWID;

CREATE TABLE picks (                   -- which of two answers a person found better, names hidden
  id          INTEGER PRIMARY KEY,
  run_id      TEXT NOT NULL REFERENCES runs (id),
  answers     TEXT NOT NULL,           -- digest of the question and both answers, in either order
  first       TEXT NOT NULL,           -- fingerprint of the model that was shown as a
  first_spec  TEXT NOT NULL,
  second      TEXT NOT NULL,           -- and as b
  second_spec TEXT NOT NULL,
  pick        TEXT NOT NULL,           -- a, b, tie
  created     TEXT NOT NULL
) STRICT;

-- What the viewer filters, orders and searches by, from here on; viewer_index.py fills it.

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

CREATE TABLE indexed (                 -- one row: what the tables above hold so far
  scores      INTEGER NOT NULL,        -- up to this scores.id
  replies     INTEGER NOT NULL         -- up to this replies.id
) STRICT;
INSERT INTO indexed VALUES (0, 0);
