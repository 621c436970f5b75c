import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import { trackKey } from "../../src/core/text/ids.ts";
import { openServer } from "../../src/engines/postgres/server.ts";
import type { Sending } from "../../src/sessions/remote/parcel.ts";
import { startSender } from "../../src/sessions/remote/sender.ts";
import { serverForFile } from "./server.ts";

const server = serverForFile({ fsync: "off" });
let databases = 0;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const keyOf = (session: string): string => trackKey({ session, agent: "main" });

function sendingOf(session: string, title: string, version = 0): Sending {
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
  return { id, state: { live, updatedAt: 1 }, past: async () => [] };
}

/** A sender to a new database, and what the server says. */
async function sending(tracks: () => readonly Sending[]) {
  databases += 1;
  const url = await server.database(`sender${databases}`);
  const sender = startSender({
    machine: { id: randomUUID(), name: "attic" },
    openServer: () => openServer(url),
    keyOf: trackKey,
    tracks: () => tracks().map((each) => [trackKey(each.id), each] as const),
    onLine: () => undefined,
    onSent: () => undefined,
    onWaiting: () => undefined,
    signOfLife: 2_000,
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
    // The sender makes its tables when it comes.
    (await client.query(sql).catch(() => ({ rows: [] }))).rows;
  return { sender, ask };
}

const patient = { timeout: 20_000, interval: 50 };

test("what changes while others of its batch are put together is sent as well", async () => {
  let title = "before";
  const first: Sending = {
    ...sendingOf("first", "x", 1),
    async past() {
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

test("news that change nothing for others keep no sign of life from the server", async () => {
  const { sender, ask } = await sending(() => [sendingOf("s", "x")]);
  const seenAt = async () =>
    (await ask("SELECT seen_at FROM waymark.machines, waymark.relayed")).map(
      ({ seen_at }) => seen_at,
    );
  await expect.poll(seenAt, patient).toHaveLength(1);
  const [before] = await seenAt();
  const news = setInterval(() => sender.note(keyOf("s")), 100);
  ends.push(() => clearInterval(news));
  await expect.poll(seenAt, { timeout: 40_000, interval: 500 }).not.toEqual([before]);
}, 60_000);
