/**
 * Lists as plain JSON files, one for each track: `<session>-agent-<agent>.json`. Written as a
 * mirror beside another store, or, with a journal beside each, as a store of their own.
 */
export { migrateSnapshot, readSnapshot, writeSnapshot } from "./snapshot-file.ts";
export { type SnapshotStoreOptions, snapshotStore } from "./snapshot-store.ts";
