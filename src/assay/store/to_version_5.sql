-- What a store of version 4 lacks.
CREATE TABLE reviews (
  id          INTEGER PRIMARY KEY,
  run_id      TEXT NOT NULL REFERENCES runs (id),
  model       INTEGER NOT NULL,
  suite       TEXT NOT NULL,
  test_id     TEXT NOT NULL,
  repeat      INTEGER NOT NULL,
  reply_id    INTEGER NOT NULL REFERENCES replies (id),
  author      TEXT NOT NULL,
  created     TEXT NOT NULL,
  withdrawn   TEXT,
  body        TEXT NOT NULL
) STRICT;
CREATE INDEX reviews_by_reply ON reviews (reply_id);
CREATE INDEX reviews_by_run ON reviews (run_id);
