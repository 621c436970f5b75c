export { type Capabilities, type OpenedStore, storeContract } from "./store-suite.ts";
export { type OpenedTaskStore, type TaskCapabilities, taskStoreContract } from "./task-suite.ts";
