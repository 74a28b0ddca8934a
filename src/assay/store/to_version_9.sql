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
