import { afterAll, beforeAll } from "vitest";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { taskStoreContract } from "../../src/testing/index.ts";
import { startServer, type TestServer } from "../postgres/server.ts";

let server: TestServer;
let databases = 0;

beforeAll(async () => {
  server = await startServer({ fsync: "off" });
}, 60_000);
afterAll(() => server.stop(), 60_000);

taskStoreContract(
  "postgresTaskStore",
  async () => {
    databases += 1;
    const url = await server.database(`contract${databases}`);
    const stores: TaskStore[] = [];
    const another = async () => {
      const store = await postgresTaskStore(url, { connections: 6, onWarning: () => {} });
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
      cleanup: closeAll,
    };
  },
  { lasting: true, shared: true },
);
