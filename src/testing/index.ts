export { type Capabilities, type OpenedStore, storeContract } from "./store-suite.ts";
