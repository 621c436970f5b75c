import { memoryTaskStore } from "../../src/tasks/memory.ts";
import { taskStoreContract } from "../../src/testing/index.ts";

taskStoreContract(
  "memoryTaskStore",
  () => {
    const store = memoryTaskStore({ onWarning: () => {} });
    return { store, cleanup: () => store.close() };
  },
  { durable: false, shared: false },
);
