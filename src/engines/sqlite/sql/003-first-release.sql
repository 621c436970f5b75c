-- The schema of the first release, as schema version 3: versions 1 and 2 were never released.
-- Never edit a released file. A change is a new file, 004-name.sql, and a line in schema.ts.

-- Lists. `state` is the folded track, so that a commit costs the same however long the history is; `fold` is the
-- version of the rules that folded it. `last` is the position of the track's last event. Ids, keys and directories
-- are escaped as in a JSON string: SQLite text holds neither NUL nor lone surrogates, and two different ids must
-- never share a row.
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
CREATE INDEX tracks_last ON tracks (last);
CREATE INDEX tracks_cwd ON tracks (cwd, last);

CREATE TABLE events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  track INTEGER NOT NULL REFERENCES tracks (id),
  seq INTEGER NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (track, seq),
  UNIQUE (track, key)
);

-- Tasks. `blockers` counts the blockers that are not done, so that an index alone finds ready tasks; it changes with
-- them in one transaction. Rows are never deleted, so that the numbers of tasks and events come from the tables
-- themselves. Numbers stand before texts, on the first page of the row: libsql returns wrong values for columns on
-- overflow pages that it cannot read.
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
);
-- One index per status: open tasks with the ready ones first, claimed tasks by lease, closed tasks by number. Few
-- tasks have a ref, an owner or a parent.
CREATE UNIQUE INDEX tasks_ref ON tasks (ref) WHERE ref IS NOT NULL;
CREATE INDEX tasks_open ON tasks (blockers, priority, created_at, num) WHERE status = 'open';
CREATE INDEX tasks_leases ON tasks (lease_until) WHERE status = 'claimed';
CREATE INDEX tasks_closed ON tasks (status, num) WHERE status IN ('done', 'failed', 'cancelled');
CREATE INDEX tasks_owner ON tasks (owner, num) WHERE owner IS NOT NULL;
CREATE INDEX tasks_parent ON tasks (parent, num) WHERE parent IS NOT NULL;

CREATE TABLE task_blockers (
  task INTEGER NOT NULL REFERENCES tasks (num) DEFERRABLE INITIALLY DEFERRED,
  blocker INTEGER NOT NULL REFERENCES tasks (num) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (task, blocker)
) WITHOUT ROWID;
CREATE INDEX task_blockers_blocker ON task_blockers (blocker, task);

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
CREATE UNIQUE INDEX task_events_key ON task_events (key, part) WHERE key IS NOT NULL;
CREATE INDEX task_events_task ON task_events (task, seq);

-- Where the clock of the database was last set: see clock.ts.
CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  boot TEXT NOT NULL,
  ran REAL NOT NULL,
  up REAL NOT NULL,
  wall REAL NOT NULL
);
