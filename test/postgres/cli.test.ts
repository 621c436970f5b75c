import { afterAll, beforeAll, expect, test } from "vitest";
import { type Machine, newMachine } from "../cli/machine.ts";
import { startServer, type TestServer } from "./server.ts";

let server: TestServer;
let machines: readonly [Machine, Machine];
beforeAll(async () => {
  server = await startServer({ fsync: "off" });
  machines = [newMachine(), newMachine()];
}, 60_000);
afterAll(async () => {
  for (const machine of machines) machine.remove();
  await server.stop();
}, 60_000);

test("two machines share the tasks of a server", () => {
  const [here, there] = machines;
  const env = { WAYMARK_STORE: server.url };
  const added = here.run(["task", "add", "Shared", "--json"], { env });
  expect(JSON.parse(added.stdout)).toMatchObject({ id: "t1", subject: "Shared" });
  const claimed = there.run(["task", "claim", "--as", "ann", "--json", "--store", server.url]);
  expect(JSON.parse(claimed.stdout)).toMatchObject({ id: "t1", owner: "ann", epoch: 1 });
  const held = here.run(["task", "claim", "t1", "--as", "bob", "--json"], { env });
  expect([held.status, JSON.parse(held.stdout)]).toMatchObject([
    1,
    { code: "held", holder: "ann" },
  ]);
  const done = there.run(["task", "done", "t1", "--as", "ann", "--epoch", "1", "--key", "k"], {
    env,
  });
  expect(done).toMatchObject({ status: 0, stdout: "t1 is done, without evidence\n", stderr: "" });
  expect(here.json(["task", "list"])).toEqual([]);
});

test("a server that is not there is named without its password", () => {
  const [here] = machines;
  const { status, stderr } = here.run(["task", "list"], {
    env: { WAYMARK_STORE: "postgres://me:secret@127.0.0.1:1/x" },
  });
  expect(status).toBe(3);
  expect(stderr).toContain("The server postgres://me:...@127.0.0.1:1/x cannot be reached");
  expect(stderr).not.toContain("secret");
});
