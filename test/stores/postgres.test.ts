import { afterAll, beforeAll } from "vitest";
import { postgresStore } from "../../src/stores/postgres.ts";
import type { Store } from "../../src/stores/store.ts";
import { storeContract } from "../../src/testing/index.ts";
import { startServer, type TestServer } from "../postgres/server.ts";

let server: TestServer;
let databases = 0;
beforeAll(async () => {
  server = await startServer({ fsync: "off" });
}, 60_000);
afterAll(() => server.stop(), 60_000);

storeContract(
  "postgresStore",
  async () => {
    databases += 1;
    const url = await server.database(`tracks${databases}`);
    const stores: Store[] = [];
    const another = async () => {
      const store = await postgresStore(url, { connections: 6, onWarning: () => {} });
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
  { lasting: true, shared: true, anyId: true },
);
