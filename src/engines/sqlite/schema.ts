/** Says "this file is a Waymark store": "WYMK" in ASCII. */
export const APPLICATION_ID = 0x57594d4b;

/**
 * The schema, one step a number. A released step is never edited: a change is a new step.
 *
 * `tracks.state` is the folded track, so that a commit costs the same however long the history is;
 * `fold` says by which rules it was folded. `last` is the position of the track's last event.
 * Ids, keys and directories are written as inside a JSON string: SQLite's text knows neither NUL
 * nor lone surrogates, and two different ids must never meet in one row.
 */
export const MIGRATIONS: readonly string[] = [
  `
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
  `,
  // Tasks. `blockers` counts those that are not done, so that what is ready can be found by an
  // index alone; it changes with them in one transaction. `clock` is where the time of the database
  // was last set: see clock.ts.
  `
  CREATE TABLE tasks (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    description TEXT,
    active_text TEXT,
    status TEXT NOT NULL,
    priority INTEGER NOT NULL,
    labels TEXT NOT NULL,
    parent INTEGER REFERENCES tasks (num) DEFERRABLE INITIALLY DEFERRED,
    blocked_by TEXT NOT NULL,
    blockers INTEGER NOT NULL,
    owner TEXT,
    epoch INTEGER NOT NULL,
    lease INTEGER,
    lease_until INTEGER,
    attempts INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    evidence TEXT NOT NULL,
    reason TEXT,
    metadata TEXT NOT NULL,
    ref TEXT UNIQUE,
    author TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    claimed_at INTEGER,
    finished_at INTEGER
  );
  CREATE INDEX tasks_ready ON tasks (priority, created_at, num) WHERE status = 'open' AND blockers = 0;
  CREATE INDEX tasks_leases ON tasks (lease_until) WHERE status = 'claimed';
  CREATE INDEX tasks_status ON tasks (status, num);
  CREATE INDEX tasks_owner ON tasks (owner, num) WHERE owner IS NOT NULL;
  CREATE INDEX tasks_parent ON tasks (parent, num) WHERE parent IS NOT NULL;
  CREATE TABLE task_blockers (
    task INTEGER NOT NULL REFERENCES tasks (num) DEFERRABLE INITIALLY DEFERRED,
    blocker INTEGER NOT NULL REFERENCES tasks (num) DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (task, blocker)
  ) WITHOUT ROWID;
  CREATE INDEX task_blockers_blocker ON task_blockers (blocker, task);
  CREATE TABLE task_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
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
  CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    boot TEXT NOT NULL,
    ran REAL NOT NULL,
    up REAL NOT NULL,
    wall REAL NOT NULL
  );
  `,
  // What every new task and every claim has to write grows with the pages that they touch. The numbers
  // of tasks and events come from the tables themselves: no row is ever deleted. Only refs that are
  // there are unique. Each status has one index that finds its tasks: open ones with what is ready
  // first, claimed ones by their leases, closed ones by their numbers. Numbers stand before texts, on
  // the page of the row itself: libsql makes some up when the last page behind it cannot be read.
  `
  CREATE TABLE tasks_anew (
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
  CREATE TABLE task_events_anew (
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
  INSERT INTO tasks_anew (
      num, status, priority, parent, blockers, epoch, lease, lease_until, attempts,
      max_attempts, created_at, updated_at, claimed_at, finished_at, owner, ref, author,
      subject, active_text, labels, blocked_by, description, reason, evidence, metadata
    ) SELECT
      num, status, priority, parent, blockers, epoch, lease, lease_until, attempts,
      max_attempts, created_at, updated_at, claimed_at, finished_at, owner, ref, author,
      subject, active_text, labels, blocked_by, description, reason, evidence, metadata
    FROM tasks;
  INSERT INTO task_events_anew SELECT * FROM task_events;
  DROP TABLE task_events;
  DROP TABLE tasks;
  ALTER TABLE tasks_anew RENAME TO tasks;
  ALTER TABLE task_events_anew RENAME TO task_events;
  CREATE UNIQUE INDEX tasks_ref ON tasks (ref) WHERE ref IS NOT NULL;
  CREATE INDEX tasks_open ON tasks (blockers, priority, created_at, num) WHERE status = 'open';
  CREATE INDEX tasks_leases ON tasks (lease_until) WHERE status = 'claimed';
  CREATE INDEX tasks_closed ON tasks (status, num) WHERE status IN ('done', 'failed', 'cancelled');
  CREATE INDEX tasks_owner ON tasks (owner, num) WHERE owner IS NOT NULL;
  CREATE INDEX tasks_parent ON tasks (parent, num) WHERE parent IS NOT NULL;
  CREATE UNIQUE INDEX task_events_key ON task_events (key, part) WHERE key IS NOT NULL;
  CREATE INDEX task_events_task ON task_events (task, seq);
  `,
];
