import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundleWorker, removeBundle } from "../concurrency/processes.ts";
import { FULL } from "../full.ts";
import { newMachine, PROGRAM } from "./machine.ts";
import { start } from "./running.ts";
import type { TokenOrders } from "./token-worker.ts";

const AT_ONCE = FULL ? 16 : 4;
const ROUNDS = FULL ? 8 : 1;

interface Address {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

test(`${AT_ONCE} servers started at once share a home, and a killed one does not block the next`, {
  tags: ["concurrent-start"],
  timeout: 180_000,
}, async () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
  const ask = async ({ url, token }: Address, path: string) =>
    (await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } })).status;
  for (let round = 0; round < ROUNDS; round++) {
    const programs = Array.from({ length: AT_ONCE }, () =>
      start(process.execPath, [PROGRAM, "serve", "--no-open", "--json"], env),
    );
    onTestFinished(() => {
      for (const { child } of programs) child.kill("SIGKILL");
    });
    const printed = programs.map(async (program) => {
      let text = "";
      program.child.stdout?.on("data", (chunk) => {
        text += chunk;
      });
      await program.untilPrinted("\n");
      return JSON.parse(text) as Address;
    });
    const addresses = await Promise.all(printed);
    // The first server creates the token; every server accepts it, at its own or another address.
    expect(new Set(addresses.map(({ token }) => token)).size).toBe(1);
    for (const address of addresses) expect(await ask(address, "/api/tracks")).toBe(200);
    // Killed, so their notes stay behind.
    for (const { child } of programs) child.kill("SIGKILL");
    await Promise.all(programs.map(({ finished }) => finished));
  }
  const next = start(process.execPath, [PROGRAM, "serve", "--no-open", "--json"], env);
  onTestFinished(() => void next.child.kill("SIGKILL"));
  await next.untilPrinted("\n");
  next.child.kill("SIGINT");
  const { stdout, signal } = await next.finished;
  expect([signal, (JSON.parse(String(stdout)) as Address).pid]).toEqual(["SIGINT", next.child.pid]);
});

test.each([
  ["concurrent first starts use the same token", {}],
  ["concurrent first starts with the same process id use the same token", { pid: 7 }],
])("%s", { timeout: 180_000 }, async (_, processes) => {
  const machine = newMachine();
  const script = await bundleWorker("test/cli/token-worker.ts");
  onTestFinished(() => {
    machine.remove();
    removeBundle(script);
  });
  const homes = FULL ? 2_000 : 200;
  const begin = Date.now() + 1_500;
  const orders: TokenOrders = { home: machine.home, homes, begin, ...processes };
  const takers = Array.from({ length: 4 }, () =>
    start(process.execPath, [script, JSON.stringify(orders)], {}),
  );
  const taken = await Promise.all(
    takers.map(async ({ finished }) => JSON.parse(String((await finished).stdout)) as string[]),
  );
  const places = Array.from({ length: homes }, (_, n) => n);
  const torn = places.filter((n) => new Set(taken.map((tokens) => tokens[n])).size !== 1);
  expect(torn).toEqual([]);
  const kept = places.map((n) =>
    readFileSync(join(machine.home, String(n), "serve-token"), "utf8"),
  );
  expect(kept.map((token) => token.trim())).toEqual(taken[0]);
});

const NOTES = [
  ["a process that does not exist", `{"url":"http://127.0.0.1:9/","pid":999999999}`],
  ["half a note", '{"url":"http://127.0.0.1:'],
  ["an address elsewhere", '{"url":"http://evil.test:80/","pid":1}'],
  ["nothing", ""],
] as const;

test.each(FULL ? NOTES : NOTES.slice(1, 3))(
  "ignores a note that names %s",
  { tags: ["concurrent-start"] },
  async (_, note) => {
    const machine = newMachine();
    onTestFinished(() => machine.remove());
    machine.run(["todo", "add", "One", "--session", "s"]);
    writeFileSync(join(machine.home, "serve.json"), note);
    const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
    const program = start(process.execPath, [PROGRAM, "serve", "--no-open", "--json"], env);
    onTestFinished(() => void program.child.kill("SIGKILL"));
    await program.untilPrinted("\n");
    program.child.kill("SIGINT");
    const { stdout } = await program.finished;
    expect((JSON.parse(String(stdout)) as Address).pid).toBe(program.child.pid);
  },
);
