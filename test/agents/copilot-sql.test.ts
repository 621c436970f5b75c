import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outcomeOf, type Rows, rowsAfter } from "../../src/agents/copilot/rows.ts";
import { errorMessage } from "../../src/core/error.ts";
import { type Database, loadDriver } from "../../src/engines/sqlite/driver.ts";
import { sized } from "../full.ts";

const driver = await loadDriver();

const SCHEMA = `CREATE TABLE todos (id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT,
  status TEXT DEFAULT 'pending' CHECK(status IN ('pending', 'in_progress', 'done', 'blocked')),
  created_at TEXT DEFAULT (datetime('now')), updated_at TEXT DEFAULT (datetime('now')));
CREATE TABLE todo_deps (todo_id TEXT NOT NULL, depends_on TEXT NOT NULL, PRIMARY KEY (todo_id, depends_on),
  FOREIGN KEY (todo_id) REFERENCES todos(id), FOREIGN KEY (depends_on) REFERENCES todos(id));
CREATE TABLE notes (line TEXT)`;

/** Runs statements as the program does, and answers in its format. */
function run(db: Database, statements: readonly string[]) {
  const answers: string[] = [];
  const numbered = () =>
    answers
      .map((answer, index) => `${index + 1}. ${verbOf(statements[index])}\n   ${answer}`)
      .join("\n\n");
  for (const [index, sql] of statements.entries())
    try {
      answers.push(answerOf(db, sql));
    } catch (error) {
      const why = `Error: ${errorMessage(error)}`;
      if (statements.length === 1) return outcomeOf(why, true);
      const done = `Completed ${index} statement(s) before failure:\n\n${numbered()}`;
      const message = `SQL Error after statement ${index + 1} (${verbOf(sql)}): ${why}`;
      return outcomeOf(index === 0 ? message : `${message}\n\n${done}`, true);
    }
  const [only = ""] = answers;
  return outcomeOf(
    answers.length === 1 ? only : `Executed ${answers.length} statement(s):\n\n${numbered()}`,
    false,
  );
}

function verbOf(sql = ""): string {
  return /\w+/.exec(sql)?.[0].toUpperCase() ?? "";
}

function answerOf(db: Database, sql: string): string {
  const verb = verbOf(sql);
  if (verb === "SELECT" || verb === "WITH") {
    const rows = db.prepare(sql).all();
    return verb === "SELECT"
      ? `${rows.length} row(s) returned:\n\n| x |`
      : "Query executed successfully. Rows affected: 1.";
  }
  db.exec(sql);
  const [counts] = db
    .prepare("SELECT changes() AS changes, last_insert_rowid() AS last")
    .all() as unknown as { changes: number; last: number }[];
  const count = counts?.changes ?? 0;
  if (verb === "INSERT" || verb === "REPLACE")
    return `${count} row(s) inserted. Last inserted row ID: ${counts?.last}.`;
  if (verb === "UPDATE") return `${count} row(s) updated.`;
  if (verb === "DELETE") return `${count} row(s) deleted.`;
  return "Schema operation completed successfully.";
}

/** The rows as the decoder keeps them. */
function rowsOf(db: Database): Rows {
  const all = (sql: string) => db.prepare(sql).all() as unknown as Rows["todos"];
  return {
    todos: all("SELECT id, title, description, status FROM todos ORDER BY created_at, rowid"),
    deps: all("SELECT todo_id, depends_on FROM todo_deps ORDER BY todo_id, depends_on"),
  };
}

/** Without fields that are missing or null, and with dependencies in order. */
function plain({ todos, deps }: Rows) {
  const given = (row: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  const keyed = deps.map((row) => `${row.todo_id} ${row.depends_on}`).sort();
  return { todos: todos.map(given), deps: keyed };
}

const id = fc.constantFrom("'a'", "'b'", "'c'", "'d'", "'it''s; -- no'", "7");
const status = fc.constantFrom(
  "'pending'",
  "'in_progress'",
  "'done'",
  "'blocked'",
  "'doing'",
  "NULL",
);
const where = fc.oneof(
  fc.constant(""),
  id.map((value) => ` WHERE id = ${value}`),
  fc.tuple(id, id).map(([a, b]) => ` where "id" in (${a}, ${b}) -- some`),
  fc.tuple(id, status).map(([a, b]) => ` WHERE id <> ${a} AND status = ${b}`),
  id.map((value) => ` WHERE status NOT IN ('done') AND id != ${value}`),
  fc.constant(" WHERE title LIKE '%x%'"),
  fc.constant(" WHERE description = 'Waits' OR id = 'a'"),
);
const statement = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE", "REPLACE"),
      fc.array(fc.tuple(id, status), { minLength: 1, maxLength: 3 }),
    )
    .map(
      ([verb, all]) =>
        `${verb} INTO todos (id, title, status) VALUES ${all.map(([key, to]) => `(${key}, 'T', ${to})`).join(", ")}`,
    ),
  id.map((value) => `INSERT INTO todos (id, title) VALUES (${value}, 'x''y /* z */')`),
  id.map(
    (value) =>
      `INSERT INTO todos (id, title) VALUES (${value}, 'U') ON CONFLICT(id) DO UPDATE SET title = 'U'`,
  ),
  id.map(
    (value) => `INSERT INTO todos VALUES (${value}, 'P', NULL, 'pending', datetime('now'), NULL)`,
  ),
  fc.constant("INSERT INTO todos (id, title) SELECT id || '2', title FROM todos"),
  fc
    .tuple(status, where)
    .map(([to, on]) => `UPDATE todos SET status = ${to}, updated_at = datetime('now')${on}`),
  where.map((on) => `UPDATE todos SET description = 'Waits'${on}`),
  fc.constant("UPDATE todos SET status = CASE id WHEN 'a' THEN 'done' ELSE status END"),
  fc.constant("UPDATE todos SET title = upper(title)"),
  where.map((on) => `DELETE FROM todos${on}`),
  fc
    .tuple(id, id)
    .map(([a, b]) => `INSERT INTO todo_deps (todo_id, depends_on) VALUES (${a}, ${b})`),
  id.map((value) => `DELETE FROM todo_deps WHERE todo_id = ${value}`),
  fc.constantFrom(
    "DELETE FROM todo_deps",
    "SELECT * FROM todos",
    "INSERT INTO notes VALUES ('todos')",
    "CREATE TABLE IF NOT EXISTS other (x)",
    "UPDAT todos",
    "DELETE FROM [todos] WHERE (id = 'a')",
  ),
);

describe("SQL on the list", () => {
  test("the computed rows are those of SQLite, or unknown", () => {
    let known = 0;
    let unknown = 0;
    fc.assert(
      fc.property(
        fc.array(fc.array(statement, { minLength: 1, maxLength: 3 }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.boolean(),
        (batches, isNew) => {
          const db = driver.open(":memory:");
          try {
            db.exec(`PRAGMA foreign_keys = ON; ${SCHEMA}`);
            let rows: Rows | undefined = isNew ? { todos: [], deps: [] } : undefined;
            for (const batch of batches) {
              const outcome = run(db, batch);
              rows = rowsAfter(rows, batch.join("\n;\n"), outcome);
              if (!rows) {
                unknown++;
                continue;
              }
              known++;
              expect(plain(rows)).toEqual(plain(rowsOf(db)));
            }
          } finally {
            db.close();
          }
        },
      ),
      { numRuns: sized(400, 10_000) },
    );
    expect(known).toBeGreaterThan(100);
    expect(unknown).toBeGreaterThan(100);
  });

  test.each<[string, string, boolean]>([
    ["a count that does not fit", "2 row(s) updated.", false],
    ["no count", "done", false],
    [
      "more answers than statements",
      "1. UPDATE\n   1 row(s) updated.\n\n2. UPDATE\n   1 row(s) updated.",
      false,
    ],
    ["another language", "1 Zeile(n) aktualisiert.", false],
  ])("%s: the rows are unknown", (_, answer, failed) => {
    const rows = { todos: [{ id: "a", title: "A", status: "pending" }], deps: [] };
    const query = "UPDATE todos SET status = 'done' WHERE id = 'a'";
    expect(rowsAfter(rows, query, outcomeOf(answer, failed))).toBeUndefined();
    expect(rowsAfter(rows, query, outcomeOf("1 row(s) updated.", false))?.todos).toEqual([
      { id: "a", title: "A", status: "done" },
    ]);
  });

  test("bounds queries and tables", () => {
    const long = `INSERT INTO todos (id, title) VALUES ('a', '${"x".repeat(70_000)}')`;
    const answer = "1 row(s) inserted. Last inserted row ID: 1.";
    expect(rowsAfter(undefined, long, outcomeOf(answer, false))).toBeUndefined();
    const many = Array.from({ length: 1_001 }, (_, index) => `('${index}', 'T')`).join(",");
    const all = "1001 row(s) inserted. Last inserted row ID: 1001.";
    const query = `INSERT INTO todos (id, title) VALUES ${many}`;
    expect(rowsAfter(undefined, query, outcomeOf(all, false))).toBeUndefined();
  });
});
