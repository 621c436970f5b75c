import { rmSync } from "node:fs";
import { join } from "node:path";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { taskStoreContract } from "../../src/testing/index.ts";
import { makePlace } from "../stores/place.ts";

taskStoreContract(
  "sqliteTaskStore",
  async () => {
    const dir = makePlace();
    const stores: TaskStore[] = [];
    const another = async () => {
      const store = await sqliteTaskStore(join(dir, "waymark.db"), { onWarning: () => {} });
      stores.push(store);
      return store;
    };
    const closeAll = async () => {
      for (const store of stores) await store.close();
    };
    return {
      store: await another(),
      another,
      async reopen() {
        await closeAll();
        return another();
      },
      async cleanup() {
        await closeAll();
        rmSync(dir, { recursive: true, force: true });
      },
    };
  },
  { lasting: true, shared: true },
);
