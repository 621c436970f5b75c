import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { emptyActivity } from "../../../src/core/activity/activity.ts";
import { emptyTrack } from "../../../src/core/evolve.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";
import { openNotifier } from "../../../src/servers/notify/index.ts";

let home: string;
let url: string;
let posts: string[];
const server = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  posts.push(JSON.parse(text).kind);
  response.end();
});
beforeEach(async () => {
  posts = [];
  home = mkdtempSync(join(tmpdir(), "waymark-once-"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const open = () =>
  openNotifier({
    sinks: [{ to: "webhook", url }],
    home,
    env: {},
    platform: "linux",
    now: Date.now(),
    onProblem(message) {
      throw new Error(message);
    },
  });

/** A process of the home that checks once. */
async function look(track: MergedTrack): Promise<void> {
  const notifier = open();
  notifier.check([track]);
  await notifier.close();
}

const SOON = Date.now() + 60_000;
const track = emptyTrack({ session: "s", agent: "main" });
const quiet = { track, hosted: true, state: "working", findings: [], updatedAt: SOON } as const;

test("delivers one notification for a loop that processes see at different calls", async () => {
  const loop = (lastAt: number, turnStartedAt: number): MergedTrack => ({
    ...quiet,
    activity: { ...emptyActivity(), lastAt, turnStartedAt },
    findings: [
      { kind: "generic_repeat", level: "critical", label: "ls", count: 20, message: "20 times" },
    ],
  });
  await look(loop(SOON, 5));
  await look(loop(SOON + 150, 5));
  await look(loop(SOON + 5_000, 5));
  expect(posts).toEqual(["looping"]);
  await look(loop(SOON + 6_000, 6));
  expect(posts).toEqual(["looping", "looping"]);
});

const finished = (finishedAt: number): MergedTrack => ({
  ...quiet,
  track: {
    ...track,
    todos: [
      { id: "1", text: "x", status: "completed", createdAt: 1, movedBy: "agent", finishedAt },
    ],
  },
});

test("notifies again when a list is finished again", async () => {
  await look(finished(SOON));
  await look(finished(SOON));
  expect(posts).toEqual(["finished"]);
  await look(finished(SOON + 1_000));
  expect(posts).toEqual(["finished", "finished"]);
});

test("notifies of events after the clock was set back, and of none before", async () => {
  const real = Date.now;
  const notifier = open();
  const before = finished(real() - 1_000);
  notifier.check([before]);
  vi.spyOn(Date, "now").mockImplementation(() => real() - 3_600_000);
  notifier.check([before]);
  notifier.check([finished(Date.now() + 1_000)]);
  await notifier.close();
  expect(posts).toEqual(["finished"]);
});
