import { postgresStore } from "../../src/stores/postgres.ts";
import { storeContract } from "../../src/testing/index.ts";
import { emptyStores } from "../postgres/empty-stores.ts";

storeContract(
  "postgresStore",
  emptyStores((url) => postgresStore(url, { connections: 6, onWarning: () => {} })),
  { durable: true, shared: true, anyId: true },
);
