import { join } from "node:path";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { taskStoreContract } from "../../src/testing/index.ts";
import { openedIn } from "../stores/place.ts";

taskStoreContract(
  "sqliteTaskStore",
  () => openedIn((dir) => sqliteTaskStore(join(dir, "waymark.db"), { onWarning: () => {} })),
  { lasting: true, shared: true },
);
