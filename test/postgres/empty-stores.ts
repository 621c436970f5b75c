import type { Awaitable } from "../../src/core/awaitable.ts";
import { openedOn } from "../stores/place.ts";
import { serverForFile } from "./server.ts";

/** For a contract: opens stores on a server of the test file, each time on an empty database. */
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
