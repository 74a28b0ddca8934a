CREATE TABLE hidden_runs (             -- in no leaderboard; nothing of them is removed
  run_id      TEXT PRIMARY KEY REFERENCES runs (id)
) STRICT, WITHOUT ROWID;
