import { join } from "node:path";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { storeContract } from "../../src/testing/index.ts";
import { openedIn } from "./place.ts";

storeContract(
  "sqliteStore",
  () => openedIn((dir) => sqliteStore(join(dir, "store.db"), { onWarning: () => {} })),
  { lasting: true, shared: true, anyId: true },
);
