/**
 * Lists as plain JSON files, one per track: `<session>-agent-<agent>.json`. They mirror another store, or,
 * each with a journal of its events, are a store themselves.
 */
export { migrateSnapshot, readSnapshot, writeSnapshot } from "./snapshot-file.ts";
export { type SnapshotStoreOptions, snapshotStore } from "./snapshot-store.ts";
