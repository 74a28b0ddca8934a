-- What a store of version 1 lacks.
ALTER TABLE runs ADD COLUMN sampling TEXT NOT NULL DEFAULT 'fixed';
ALTER TABLE runs ADD COLUMN machine TEXT;
ALTER TABLE run_models ADD COLUMN observed TEXT;
