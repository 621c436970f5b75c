/**
 * testing: contract suites for stores and task stores, also for third parties. Our own implementations
 * pass the same suites.
 */
export { type Capabilities, type OpenedStore, storeContract } from "./store-suite.ts";
export { type OpenedTaskStore, type TaskCapabilities, taskStoreContract } from "./task-suite.ts";
