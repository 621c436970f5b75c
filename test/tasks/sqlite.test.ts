import { join } from "node:path";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { taskStoreContract } from "../../src/testing/index.ts";
import { openedIn } from "../stores/temporary-directory.ts";

taskStoreContract(
  "sqliteTaskStore",
  () => openedIn((dir) => sqliteTaskStore(join(dir, "waymark.db"), { onWarning: () => {} })),
  { durable: true, shared: true },
);
