-- The store. Version 5 (PRAGMA user_version); to_version_N.sql bring an older one here, and this one further.
-- Times are ISO 8601, UTC.
-- Replies and scores lie apart: marking again asks no model again.

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
  deciding    TEXT,                    -- Deciding as JSON: which checkpoints, by which gate
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
  path        TEXT NOT NULL,           -- where it lay, for marking again
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
  body        TEXT NOT NULL            -- Verdict as JSON: evidence, judgements, scores
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
