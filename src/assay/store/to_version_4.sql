-- What a store of version 3 lacks.
ALTER TABLE runs ADD COLUMN judging TEXT;
CREATE TABLE verdicts (
  id          INTEGER PRIMARY KEY,
  run_id      TEXT NOT NULL REFERENCES runs (id),
  model       INTEGER NOT NULL,
  suite       TEXT NOT NULL,
  test_id     TEXT NOT NULL,
  repeat      INTEGER NOT NULL,
  reply_id    INTEGER NOT NULL REFERENCES replies (id),
  created     TEXT NOT NULL,
  body        TEXT NOT NULL
) STRICT;
CREATE INDEX verdicts_of_try ON verdicts (run_id, model, suite, test_id, repeat, id);
