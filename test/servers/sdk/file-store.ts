import { join } from "node:path";
import { sqliteStore } from "../../../src/stores/sqlite.ts";
import type { Store } from "../../../src/stores/store.ts";
import { closing, temporaryDirectory } from "../../stores/temporary-directory.ts";

/** An asynchronous store in a file. */
export async function fileStore(): Promise<Store> {
  return closing(
    await sqliteStore(join(temporaryDirectory(), "store.db"), { onWarning: () => {} }),
  );
}
