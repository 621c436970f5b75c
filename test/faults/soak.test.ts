import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { type List, trackerOn } from "../../src/tracker.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { newMachine, PROGRAM } from "../cli/machine.ts";
import { start } from "../cli/running.ts";
import { needs, ONLY_AT_FULL_SIZE, ONLY_ON_LINUX } from "../skipped.ts";
import { pause } from "../until.ts";

const SECONDS = 130;
/** Until the buffer for reconnecting pages is full. */
const WARM_UP = 60;
const AGENTS = 64;
const FILES = 100;
const READERS = 40;
const DEAF = 10;
/** Megabytes per minute. */
const MAX_SLOPE = 1;
const MAX_MORE_HANDLES = 8;
const MB = 1024 * 1024;
const WORDY = Array.from({ length: 12 }, (_, n) => `Todo ${n}, ${"in many words ".repeat(12)}`);

/** Slope of a line through the points. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const up = values.reduce((sum, value, x) => sum + (x - middle) * (value - mean), 0);
  return up / values.reduce((sum, _, x) => sum + (x - middle) ** 2, 0);
}

const idOf = (n: number) => `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`;

test(`${SECONDS} seconds of work do not grow the memory and handles of a server`, {
  tags: ["memory-growth"],
  ...needs(ONLY_AT_FULL_SIZE || ONLY_ON_LINUX),
  timeout: SECONDS * 2_000 + 60_000,
}, async () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const folder = join(machine.root, ".claude/projects/-p");
  mkdirSync(folder, { recursive: true });
  const session = (n: number, text: string) =>
    claudeSession(idOf(n), "/p")
      .prompt("Go", Date.now())
      .todos([[text, "in_progress"]], Date.now())
      .text();
  for (let n = 0; n < FILES; n++) writeFileSync(join(folder, `${idOf(n)}.jsonl`), session(n, "a"));
  // Memory not collected yet is not a leak: a collection is forced before each measurement.
  const collect = join(machine.root, "collect.cjs");
  const kept = join(machine.root, "kept");
  writeFileSync(
    collect,
    `setInterval(() => {
        global.gc();
        const { heapUsed, external } = process.memoryUsage();
        require("node:fs").writeFileSync(${JSON.stringify(kept)}, String(heapUsed + external));
      }, 1000).unref();`,
  );
  const program = start(
    process.execPath,
    ["--expose-gc", "--require", collect, PROGRAM, "serve", "--port", "0", "--no-open", "--json"],
    { HOME: machine.root, WAYMARK_HOME: machine.home },
  );
  onTestFinished(() => void program.child.kill("SIGKILL"));
  await program.untilPrinted("\n");
  const { url } = JSON.parse(readFileSync(join(machine.home, "serve.json"), "utf8"));
  const token = readFileSync(join(machine.home, "serve-token"), "utf8").trim();
  const port = Number(new URL(url).port);
  const pid = program.child.pid ?? 0;
  const store = await sqliteStore(join(machine.home, "waymark.db"), { createDirectory: true });
  onTestFinished(() => store.close());
  const tracker = trackerOn(store);
  const lists = Array.from(
    { length: AGENTS },
    (_, n) => tracker.list({ session: `agent-${n}`, agent: "main" }) as List,
  );
  let received = 0;
  const open = new Set<{ destroy(): unknown }>();
  onTestFinished(() => {
    for (const each of open) each.destroy();
  });
  const listen = () => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = get(
      { port, host: "127.0.0.1", path: "/api/events", headers },
      (answer: IncomingMessage) => {
        answer.on("data", (chunk: Buffer) => {
          received += chunk.length;
        });
        answer.on("error", () => undefined);
      },
    );
    asked.on("error", () => undefined);
    asked.on("close", () => open.delete(asked));
    open.add(asked);
  };
  const ignore = () => {
    const socket: Socket = connect(port, "127.0.0.1", () => {
      socket.write(
        `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      socket.pause();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
    open.add(socket);
  };
  for (let n = 0; n < READERS; n++) listen();
  for (let n = 0; n < DEAF; n++) ignore();
  const memory: number[] = [];
  const handles: number[] = [];
  let changes = 0;
  const began = performance.now();
  for (let second = 0; second < SECONDS; second++) {
    const end = began + (second + 1) * 1_000;
    while (performance.now() < end) {
      const n = changes++;
      const list = lists[n % AGENTS];
      const todos = WORDY.map((text) => ({ text: `${text} ${n}`, status: "pending" as const }));
      await list?.submit([{ op: "replace", todos }]);
      appendFileSync(join(folder, `${idOf(n % FILES)}.jsonl`), session(n % FILES, `change ${n}`));
      await pause(8, "a steady load");
    }
    // Constant trouble: pages disconnect and reconnect, some send invalid requests.
    const [first] = open;
    first?.destroy();
    listen();
    await fetch(`${url}api/tracks/nobody~main`, { headers: { authorization: "Bearer no" } });
    await (
      await fetch(`${url}api/tracks`, { headers: { authorization: `Bearer ${token}` } })
    ).text();
    memory.push(Number(readFileSync(kept, "utf8")) / MB);
    handles.push(readdirSync(`/proc/${pid}/fd`).length);
  }
  const late = memory.slice(WARM_UP);
  const slope = slopeOf(late) * 60;
  const more = Math.max(...handles.slice(-20)) - Math.max(...handles.slice(WARM_UP, WARM_UP + 20));
  console.log(
    `${changes} changes, ${Math.round(received / MB)} MB heard; ${late[0]?.toFixed(0)} to ${late.at(-1)?.toFixed(0)} MB, ` +
      `${slope.toFixed(1)} MB a minute; ${handles.at(WARM_UP)} to ${handles.at(-1)} handles`,
  );
  expect(changes).toBeGreaterThan(1_000);
  expect(received).toBeGreaterThan(MB);
  expect(slope).toBeLessThan(MAX_SLOPE);
  expect(more).toBeLessThanOrEqual(MAX_MORE_HANDLES);
  expect(program.child.exitCode).toBeNull();
});
