import { join } from "node:path";
import { sqliteStore } from "../../../src/stores/sqlite.ts";
import type { Store } from "../../../src/stores/store.ts";
import { closing, temporaryPlace } from "../../stores/place.ts";

/** A store that answers later and outlives the process. */
export async function fileStore(): Promise<Store> {
  return closing(await sqliteStore(join(temporaryPlace(), "store.db"), { onWarning: () => {} }));
}
