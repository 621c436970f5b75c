import { afterAll, beforeAll, expect, test } from "vitest";
import { type Machine, newMachine } from "./machine.ts";

const SECRET = "s3cret";

let machine: Machine;
beforeAll(() => {
  machine = newMachine();
});
afterAll(() => machine.remove());

// Nothing listens on port 1: every command reports that it cannot reach the server.
test.each([
  [`postgres://127.0.0.1:1/team?user=me&password=${SECRET}`, "postgres://127.0.0.1:1/team?..."],
  [`postgres://me:${SECRET}@127.0.0.1:1/team`, "postgres://me:...@127.0.0.1:1/team"],
  [`postgres://127.0.0.1:1/x/${SECRET}@db/team`, "postgres://..."],
])(
  "names an unreachable server without its password: %s",
  async (url, shown) => {
    const ran = await Promise.all([
      machine.start(["task", "list", "--store", url]),
      machine.start(["task", "list", "--json", "--store", url]),
      machine.start(["relay", "--once", "--store", url]),
    ]);
    for (const { status, stdout, stderr } of ran) {
      expect(status).toBe(3);
      expect(stdout + stderr).not.toContain(SECRET);
      expect(stderr).toContain(shown);
    }
  },
  60_000,
);

test.each([
  [`postgress://me:${SECRET}@db/team`, "postgress://me:...@db/team"],
  [`postgres//me:${SECRET}@db/team`, '"..."'],
  [`me:${SECRET}@db/team`, '"..."'],
  [`host=db password=${SECRET}`, '"..."'],
])(
  "repeats a mistyped URL without its password: %s",
  (url, shown) => {
    const env = { WAYMARK_STORE: url };
    const model = machine.run(["tool", "tasks", "--session", "s1"], { env, input: "{}" });
    const doctor = machine.run(["doctor", "--json"], { env });
    const ran = [
      machine.run(["task", "list"], { env }),
      machine.run(["relay", "--once", "--store", url]),
      model,
      doctor,
    ];
    for (const { stdout, stderr } of ran) {
      expect(stdout + stderr).not.toContain(SECRET);
      expect((stdout + stderr).replaceAll('\\"', '"')).toContain(shown);
    }
  },
  60_000,
);

test.each([
  [["relay"]],
  [["task"]],
  [["help"]],
  [[]],
  [["serve", "--port"]],
  [["task", "list", "--stroe"]],
  [["task", "list", "--limit"]],
])("repeats a misplaced URL without its password: %j", (args) => {
  const { status, stdout, stderr } = machine.run([...args, `postgres://me:${SECRET}@db/team`]);
  expect(status).toBe(2);
  expect(stdout + stderr).not.toContain(SECRET);
});

test("repeats an invalid webhook without its password", () => {
  for (const notify of ["webhok=https", "webhook=ftp", "webhook=postgress"]) {
    const url = `${notify}://me:${SECRET}@db/team`;
    const { status, stdout, stderr } = machine.run(["serve", "--no-open", "--notify", url]);
    expect(status).toBe(2);
    expect(stdout + stderr).not.toContain(SECRET);
  }
});
