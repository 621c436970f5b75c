import type { Awaitable } from "../../src/core/awaitable.ts";
import { openedOn } from "../stores/temporary-directory.ts";
import { serverForFile } from "./server.ts";

/** For a contract suite: opens stores on the server of the test file, each on an empty database. */
export function emptyStores<S extends { close(): Awaitable<void> }>(
  open: (url: string) => Promise<S>,
) {
  const server = serverForFile({ fsync: "off" });
  let databases = 0;

  return async () => {
    databases += 1;
    const url = await server.database(`contract${databases}`);
    return openedOn(() => open(url));
  };
}
