// A process that opens a store and says what it was warned of, and what kind of journal the file has.
import { writeSync } from "node:fs";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";

const [path = ""] = process.argv.slice(2);
const say = (line: unknown) => void writeSync(1, `${line}\n`);
const store = await sqliteTaskStore(path, { createDirectory: true, onWarning: say });
await store.apply({ op: "add", tasks: [{ subject: "x" }] }, { by: "user", via: "test" });
await store.close();
const db = (await loadDriver()).open(path);
say(db.prepare("PRAGMA journal_mode").all()[0]?.journal_mode === "wal" ? "wal" : "rollback");
db.close();
