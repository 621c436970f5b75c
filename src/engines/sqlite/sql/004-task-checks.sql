-- A task may name the check that has to pass before it can be finished; `proof` is the run that finished it, as JSON.
ALTER TABLE tasks ADD COLUMN check_name TEXT;
ALTER TABLE tasks ADD COLUMN proof TEXT;
