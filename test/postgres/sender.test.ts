import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import { trackKey } from "../../src/core/text/ids.ts";
import { openServer } from "../../src/engines/postgres/server.ts";
import type { LocalTrack } from "../../src/sessions/remote/relay-update.ts";
import { type Sent, startSender } from "../../src/sessions/remote/sender.ts";
import { serverForFile } from "./server.ts";

const server = serverForFile({ fsync: "off" });
let databases = 0;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const keyOf = (session: string): string => trackKey({ session, agent: "main" });

function sendingOf(session: string, title: string, version = 0): LocalTrack {
  const id = { session, agent: "main" };
  const live = {
    ...id,
    agentType: "codex",
    track: { ...emptyTrack(id), title, version, updatedAt: 1 },
    activity: emptyActivity(),
    ended: false,
    compactions: 0,
    skipped: {},
  };
  return { id, state: { live, updatedAt: 1 }, readEvents: async () => [] };
}

/** A sender to a new database, and the server's answers. */
async function sending(tracks: () => readonly LocalTrack[]) {
  databases += 1;
  const url = await server.database(`sender${databases}`);
  const sent: Sent[] = [];
  const sender = startSender({
    machine: { id: randomUUID(), name: "attic" },
    openServer: () => openServer(url),
    keyOf: trackKey,
    tracks: () => tracks().map((each) => [trackKey(each.id), each] as const),
    onConnected: () => undefined,
    onSent: (each) => sent.push(each),
    onWaiting: () => undefined,
    heartbeat: 2_000,
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  ends.push(
    () => client.end(),
    async () => {
      sender.end();
      await sender.ended;
    },
  );
  const ask = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
    // The sender creates its tables when it connects.
    (await client.query(sql).catch(() => ({ rows: [] }))).rows;
  return { sender, ask, sent };
}

const patient = { timeout: 20_000, interval: 50 };

test("sends changes that arrive while a batch is assembled", async () => {
  let title = "before";
  const first: LocalTrack = {
    ...sendingOf("first", "x", 1),
    async readEvents() {
      if (title === "before") {
        title = "after";
        sender.note(keyOf("second"));
      }
      return [];
    },
  };
  const { sender, ask } = await sending(() => [first, sendingOf("second", title)]);
  const titles = async () =>
    (await ask("SELECT state FROM waymark.relayed WHERE session = 'second'")).map(
      ({ state }) => JSON.parse(String(state)).live.track.title,
    );
  await expect.poll(titles, patient).toEqual(["after"]);
});

test("sends heartbeats while updates without visible changes arrive", async () => {
  const { sender, ask, sent } = await sending(() => [sendingOf("s", "x")]);
  const seenAt = async () =>
    (await ask("SELECT seen_at FROM waymark.machines, waymark.relayed")).map(
      ({ seen_at }) => seen_at,
    );
  await expect.poll(seenAt, patient).toHaveLength(1);
  const [before] = await seenAt();
  const news = setInterval(() => sender.note(keyOf("s")), 100);
  ends.push(() => clearInterval(news));
  await expect.poll(seenAt, { timeout: 40_000, interval: 500 }).not.toEqual([before]);
  expect(sent).toEqual([{ machine: "attic", tracks: 1, events: 0 }]);
}, 60_000);
