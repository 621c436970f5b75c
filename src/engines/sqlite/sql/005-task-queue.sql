-- Delays, deadlines, and the state of the queue. `delayed` is 1 from the write of a later `not_before` until the first
-- claim after that time: the index of ready tasks leaves delayed ones out, however many there are.
ALTER TABLE tasks ADD COLUMN not_before INTEGER;
ALTER TABLE tasks ADD COLUMN deadline INTEGER;
ALTER TABLE tasks ADD COLUMN delayed INTEGER NOT NULL DEFAULT 0;
DROP INDEX tasks_open;
CREATE INDEX tasks_open ON tasks (delayed, blockers, priority, created_at, num) WHERE status = 'open';
CREATE INDEX tasks_delayed ON tasks (not_before) WHERE delayed = 1;
CREATE INDEX tasks_deadline ON tasks (deadline) WHERE deadline IS NOT NULL AND status IN ('open', 'claimed');

-- One row. `aging`: milliseconds of waiting that count as one step of priority.
CREATE TABLE queue (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  paused_at INTEGER,
  paused_by TEXT,
  reason TEXT,
  aging INTEGER
);
