// The same work with the bare driver and the same durability, in two forms: the minimum of any task
// queue, a row and a line of history; and the exact rows and indexes of the store.

async function rawDatabase(path) {
  const Database =
    process.getBuiltinModule("node:sqlite")?.DatabaseSync ?? (await import("libsql")).default;
  const db = new Database(path);
  db.exec("PRAGMA journal_mode = PERSIST");
  db.exec("PRAGMA synchronous = FULL");
  return db;
}

const inTransaction = (db, work) => {
  db.exec("BEGIN IMMEDIATE");
  work();
  db.exec("COMMIT");
};

/** Without lists by status or owner, history per task, and expired claims. */
export async function leastRows(path) {
  const db = await rawDatabase(path);
  db.exec(`
    CREATE TABLE tasks (id INTEGER PRIMARY KEY, subject TEXT, status TEXT, priority INTEGER, owner TEXT,
      epoch INTEGER DEFAULT 0, lease_until INTEGER, created_at INTEGER);
    CREATE INDEX ready ON tasks (priority, created_at, id) WHERE status = 'open';
    CREATE TABLE history (seq INTEGER PRIMARY KEY, task INTEGER, body TEXT)`);
  const add = db.prepare(
    "INSERT INTO tasks (subject, status, priority, created_at) VALUES (?, 'open', 2, ?)",
  );
  const note = db.prepare("INSERT INTO history (task, body) VALUES (?, ?)");
  const claim = db.prepare(
    `UPDATE tasks SET status = 'claimed', owner = ?, epoch = epoch + 1, lease_until = ?
      WHERE id = (SELECT id FROM tasks INDEXED BY ready WHERE status = 'open' ORDER BY priority, created_at, id LIMIT 1)
      RETURNING *`,
  );
  return {
    create: (n) =>
      inTransaction(db, () => {
        const { lastInsertRowid } = add.run(`task ${n}`, Date.now());
        note.run(Number(lastInsertRowid), '{"type":"added","subject":"task"}');
      }),
    claim: () =>
      inTransaction(db, () => {
        const [row] = claim.all("bench", Date.now() + 300_000);
        note.run(row.id, JSON.stringify(row));
      }),
    close: () => db.close(),
  };
}

/** `model`: a file of the store, for its tables and indexes. */
export async function sameRows(path, model) {
  const db = await rawDatabase(path);
  const like = await rawDatabase(model);
  const parts = like
    .prepare("SELECT sql FROM sqlite_schema WHERE tbl_name LIKE 'task%' AND sql IS NOT NULL")
    .all();
  like.close();
  for (const { sql } of parts) db.exec(sql);
  const add = db.prepare(
    `INSERT INTO tasks (subject, status, priority, labels, blocked_by, blockers, epoch, attempts, max_attempts,
      evidence, metadata, created_at, updated_at) VALUES (?, 'open', 2, ?, ?, 0, 0, 0, 3, ?, ?, ?, ?)`,
  );
  const note = db.prepare(
    "INSERT INTO task_events (at, type, task, sent_by, via, fields) VALUES (?, ?, ?, 'agent', 'bench', ?)",
  );
  const first = (index, condition) =>
    `SELECT * FROM (SELECT num, priority, created_at FROM tasks INDEXED BY ${index}
      WHERE ${condition} AND blockers = 0 ORDER BY priority, created_at, num LIMIT 1)`;
  const lapsed = "status = 'claimed' AND lease_until <= ? AND attempts < max_attempts";
  const claim = db.prepare(
    `UPDATE tasks SET status = 'claimed', owner = ?, epoch = epoch + 1, lease = ?, lease_until = ?,
        attempts = attempts + 1, claimed_at = ?, updated_at = ?
      WHERE num = (SELECT num FROM (${first("tasks_open", "status = 'open' AND delayed = 0")}
        UNION ALL ${first("tasks_leases", lapsed)}) ORDER BY priority, created_at, num LIMIT 1)
      RETURNING *`,
  );
  const lease = 300_000;
  return {
    create: (n) =>
      inTransaction(db, () => {
        const now = Date.now();
        const subject = `task ${n}`;
        const { lastInsertRowid } = add.run(subject, "[]", "[]", "[]", "{}", now, now);
        const fields = {
          subject,
          status: "open",
          priority: 2,
          labels: [],
          blockedBy: [],
          epoch: 0,
          attempts: 0,
          maxAttempts: 3,
          evidence: [],
          metadata: {},
          createdAt: now,
        };
        note.run(now, "added", Number(lastInsertRowid), JSON.stringify(fields));
      }),
    claim: () =>
      inTransaction(db, () => {
        const now = Date.now();
        const [row] = claim.all("bench", lease, now + lease, now, now, now);
        const { epoch, attempts, lease_until: leaseUntil } = row;
        const fields = {
          status: "claimed",
          owner: "bench",
          epoch,
          lease,
          leaseUntil,
          attempts,
          claimedAt: now,
        };
        note.run(now, "claimed", row.num, JSON.stringify(fields));
      }),
    close: () => db.close(),
  };
}
