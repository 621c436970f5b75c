CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  boot TEXT NOT NULL,
  ran REAL NOT NULL,
  up REAL NOT NULL,
  wall REAL NOT NULL
);
CREATE TABLE events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  track INTEGER NOT NULL REFERENCES tracks (id),
  seq INTEGER NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (track, seq),
  UNIQUE (track, key)
);
CREATE TABLE queue (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  paused_at INTEGER,
  paused_by TEXT,
  reason TEXT,
  aging INTEGER
);
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE task_blockers (
  task INTEGER NOT NULL REFERENCES tasks (num) DEFERRABLE INITIALLY DEFERRED,
  blocker INTEGER NOT NULL REFERENCES tasks (num) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (task, blocker)
) WITHOUT ROWID;
CREATE TABLE "task_events" (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  task INTEGER NOT NULL REFERENCES tasks (num),
  sent_by TEXT NOT NULL,
  via TEXT NOT NULL,
  actor TEXT,
  key TEXT,
  part INTEGER,
  fields TEXT NOT NULL
);
CREATE TABLE "tasks" (
  num INTEGER PRIMARY KEY,
  status TEXT NOT NULL,
  priority INTEGER NOT NULL,
  parent INTEGER REFERENCES tasks (num) DEFERRABLE INITIALLY DEFERRED,
  blockers INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  lease INTEGER,
  lease_until INTEGER,
  attempts INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  claimed_at INTEGER,
  finished_at INTEGER,
  owner TEXT,
  ref TEXT,
  author TEXT,
  subject TEXT NOT NULL,
  active_text TEXT,
  labels TEXT NOT NULL,
  blocked_by TEXT NOT NULL,
  description TEXT,
  reason TEXT,
  evidence TEXT NOT NULL,
  metadata TEXT NOT NULL
, check_name TEXT, proof TEXT, not_before INTEGER, deadline INTEGER, delayed INTEGER NOT NULL DEFAULT 0);
CREATE TABLE tracks (
  id INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  version INTEGER NOT NULL,
  fold INTEGER NOT NULL,
  state TEXT NOT NULL,
  cwd TEXT,
  last INTEGER NOT NULL,
  UNIQUE (session, agent)
);
CREATE INDEX task_blockers_blocker ON task_blockers (blocker, task);
CREATE UNIQUE INDEX task_events_key ON task_events (key, part) WHERE key IS NOT NULL;
CREATE INDEX task_events_task ON task_events (task, seq);
CREATE INDEX tasks_closed ON tasks (status, num) WHERE status IN ('done', 'failed', 'cancelled');
CREATE INDEX tasks_deadline ON tasks (deadline) WHERE deadline IS NOT NULL AND status IN ('open', 'claimed');
CREATE INDEX tasks_delayed ON tasks (not_before) WHERE delayed = 1;
CREATE INDEX tasks_leases ON tasks (lease_until) WHERE status = 'claimed';
CREATE INDEX tasks_open ON tasks (delayed, blockers, priority, created_at, num) WHERE status = 'open';
CREATE INDEX tasks_owner ON tasks (owner, num) WHERE owner IS NOT NULL;
CREATE INDEX tasks_parent ON tasks (parent, num) WHERE parent IS NOT NULL;
CREATE UNIQUE INDEX tasks_ref ON tasks (ref) WHERE ref IS NOT NULL;
CREATE INDEX tracks_cwd ON tracks (cwd, last);
CREATE INDEX tracks_last ON tracks (last);
