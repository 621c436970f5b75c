import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { taskStoreContract } from "../../src/testing/index.ts";
import { emptyStores } from "../postgres/empty-stores.ts";

taskStoreContract(
  "postgresTaskStore",
  emptyStores((url) => postgresTaskStore(url, { connections: 6, onWarning: () => {} })),
  { durable: true, shared: true },
);
