import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openTerminal } from "../../src/cli/io/terminal.ts";
import { trackKey } from "../../src/core/text/ids.ts";
import { applyFeedChange, type FeedChange } from "../../src/core/views/changes.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { openHome } from "../../src/home/open.ts";
import { type Feed, openFeed } from "../../src/sessions/feed.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { type Machine, newMachine } from "../cli/machine.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Watched {
  readonly machine: Machine;
  readonly feed: Feed;
  readonly told: FeedChange[];
  /** The tracks that result from applying the changes. */
  board(): ReadonlyMap<string, MergedTrack>;
}

async function watched(before: (machine: Machine) => void = () => undefined): Promise<Watched> {
  const machine = newMachine();
  ends.push(() => machine.remove());
  before(machine);
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
  const terminal = openTerminal(env);
  const home = openHome(env, terminal.printError);
  const old = process.env.HOME;
  process.env.HOME = machine.root;
  const feed = await openFeed({ home, env, terminal });
  await feed.ready;
  ends.push(() => home.close());
  ends.push(() => feed.stop());
  ends.push(() => {
    process.env.HOME = old;
  });
  const received: FeedChange[] = [];
  let board: ReadonlyMap<string, MergedTrack> = new Map(
    feed.tracks().map((each) => [trackKey(each.track), each]),
  );
  feed.subscribe((change) => {
    received.push(change);
    board = applyFeedChange(board, change);
  });
  return { machine, feed, told: received, board: () => board };
}

function sessionFile(machine: Machine, session: string): string {
  const file = join(machine.root, ".claude", "projects", "-p", `${session}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

const SESSION = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a01";
const texts = (each: MergedTrack | undefined) => each?.track.todos.map(({ text }) => text);

test("publishes what an agent appends as events that lead to the current tracks", async () => {
  const now = Date.now();
  const start = claudeSession(SESSION, "/p").prompt("go", now - 9_000);
  start.todos([["one", "in_progress"]], now - 8_000);
  const {
    machine,
    feed,
    told: received,
    board,
  } = await watched((made) => writeFileSync(sessionFile(made, SESSION), start.text()));
  const key = trackKey({ session: SESSION, agent: "main" });
  expect(texts(board().get(key))).toEqual(["one"]);
  const before = start.text().length;
  start.todos(
    [
      ["one", "completed"],
      ["two", "in_progress"],
    ],
    now - 1_000,
  );
  appendFileSync(sessionFile(machine, SESSION), start.text().slice(before));
  await expect.poll(() => texts(board().get(key))).toEqual(["one", "two"]);
  const kinds = received.filter(({ type }) => type === "event" || type === "opened");
  expect(kinds.map(({ type }) => type)).toEqual(["event"]);
  const [shown] = feed.tracks();
  expect(board().get(key)?.track).toEqual(shown?.track);
  rmSync(sessionFile(machine, SESSION));
  await expect.poll(() => board().has(key)).toBe(false);
  expect(received.at(-1)).toEqual({ type: "gone", id: { session: SESSION, agent: "main" } });
});

test("publishes changes of our lists by other processes", async () => {
  const {
    machine,
    told: received,
    board,
  } = await watched((made) => {
    made.run(["todo", "add", "first", "--session", "demo"]);
  });
  const key = trackKey({ session: "demo", agent: "main" });
  expect(texts(board().get(key))).toEqual(["first"]);
  await machine.start(["todo", "add", "second", "--session", "demo"]);
  await expect.poll(() => texts(board().get(key))).toEqual(["first", "second"]);
  expect(received.map(({ type }) => type).filter((type) => type !== "status")).toEqual(["event"]);
});
