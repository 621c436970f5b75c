import { randomUUID } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import { trackKey } from "../../src/core/text/ids.ts";
import { openServer } from "../../src/engines/postgres/server.ts";
import { readRelayed } from "../../src/sessions/remote/follow.ts";
import { startSender } from "../../src/sessions/remote/sender.ts";
import { serverForFile } from "./server.ts";

const server = serverForFile({ fsync: "off" });
afterEach(() => vi.restoreAllMocks());

test("reads stable times from a machine with another clock", async () => {
  const id = { session: "s", agent: "main" };
  const at = Date.now();
  const live = {
    ...id,
    agentType: "codex",
    track: { ...emptyTrack(id), updatedAt: at },
    activity: emptyActivity(),
    ended: false,
    compactions: 0,
    skipped: {},
  };
  const sender = startSender({
    machine: { id: randomUUID(), name: "attic" },
    once: true,
    openServer: () => openServer(server.url),
    keyOf: trackKey,
    tracks: () => [
      [trackKey(id), { id, state: { live, updatedAt: at }, readEvents: async () => [] }] as const,
    ],
    onConnected: () => undefined,
    onSent: () => undefined,
    onWaiting: () => undefined,
  });
  await sender.ended;

  const reading = await openServer(server.url);
  const real = Date.now;
  const readWith = async (ahead: number): Promise<number | undefined> => {
    vi.spyOn(Date, "now").mockImplementation(() => real() + ahead);
    const [track] = await readRelayed(reading, undefined);
    return track && track.updatedAt - at;
  };
  try {
    const hour = 3_600_000;
    expect([await readWith(hour), await readWith(hour + 40), await readWith(hour - 40)]).toEqual([
      hour,
      hour,
      hour,
    ]);
    expect(await readWith(0)).toBe(0);
  } finally {
    await reading.close();
  }
}, 60_000);
