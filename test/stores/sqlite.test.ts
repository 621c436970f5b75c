import { join } from "node:path";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { storeContract } from "../../src/testing/index.ts";
import { openedIn } from "./temporary-directory.ts";

storeContract(
  "sqliteStore",
  () => openedIn((dir) => sqliteStore(join(dir, "store.db"), { onWarning: () => {} })),
  { durable: true, shared: true, anyId: true },
);
