-- What a store of version 2 lacks.
ALTER TABLE runs ADD COLUMN deciding TEXT;
