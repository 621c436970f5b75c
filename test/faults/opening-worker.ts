// Opens a store and prints its warnings and the journal mode of the file. With SQL as the second
// argument it acts as a later version, whose schema has one more step.
import { writeSync } from "node:fs";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { MIGRATIONS } from "../../src/engines/sqlite/schema.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { withNextMigration } from "../storage/next-migration.ts";

const [path = "", sql = ""] = process.argv.slice(2);
const say = (line: unknown) => void writeSync(1, `${line}\n`);
const open = async () => {
  const store = await sqliteTaskStore(path, { createDirectory: true, onWarning: say });
  await store.apply({ op: "add", tasks: [{ subject: "x" }] }, { by: "user", via: "test" });
  await store.close();
};
await (sql === "" ? open() : withNextMigration(MIGRATIONS, sql, open));
const db = (await loadDriver()).open(path);
say(db.prepare("PRAGMA journal_mode").all()[0]?.journal_mode === "wal" ? "wal" : "rollback");
db.close();
