import { afterAll, beforeAll } from "vitest";
import type { Awaitable } from "../../src/core/awaitable.ts";
import { openedOn } from "../stores/place.ts";
import { startServer, type TestServer } from "./server.ts";

/** For a contract: opens stores on a server of the test file, each time on an empty database. */
export function emptyStores<S extends { close(): Awaitable<void> }>(
  open: (url: string) => Promise<S>,
) {
  let server: TestServer;
  let databases = 0;
  beforeAll(async () => {
    server = await startServer({ fsync: "off" });
  }, 60_000);
  afterAll(() => server.stop(), 60_000);

  return async () => {
    databases += 1;
    const url = await server.database(`contract${databases}`);
    return openedOn(() => open(url));
  };
}
