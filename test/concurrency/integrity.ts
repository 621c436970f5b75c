import { type DriverName, loadDriver } from "../../src/engines/sqlite/driver.ts";

/** The result of SQLite's integrity check. */
export async function integrityOf(path: string, driver?: DriverName): Promise<unknown> {
  const db = (await loadDriver(driver)).open(path);
  try {
    return db.prepare("PRAGMA integrity_check").all()[0]?.integrity_check;
  } finally {
    db.close();
  }
}
