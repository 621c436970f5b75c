import { expect, test } from "vitest";
import { readByOurClock, trackOf } from "../../src/sessions/remote/received.ts";

const NOW = 1_800_000_000_000;
/** A machine whose clock is ahead of ours; the server's clock is another one. */
const rowOf = (ahead: number, server = 0) => ({ now: NOW + server, ahead: String(ahead - server) });

const written = JSON.stringify({
  at: NOW,
  updatedAt: NOW + 1,
  never: { lastAt: 0, at: -1 },
  nested: [{ startedAt: NOW + 2, attempt: NOW, atLast: NOW, at: "noon", bornat: NOW }],
});
const later = (ms: number) => ({
  at: NOW + ms,
  updatedAt: NOW + 1 + ms,
  never: { lastAt: 0, at: -1 },
  nested: [{ startedAt: NOW + 2 + ms, attempt: NOW, atLast: NOW, at: "noon", bornat: NOW }],
});
const read = (ahead: number, server?: number) => readByOurClock(written, rowOf(ahead, server), NOW);

test("times of another clock become times of ours", () => {
  expect(read(60_000)).toStrictEqual(later(-60_000));
  expect(read(-60_000)).toStrictEqual(later(60_000));
  expect(read(60_000, 5_000)).toStrictEqual(later(-60_000));
  expect(read(0, -90_000)).toStrictEqual(later(0));
});

test("latency does not change times", () => {
  for (const ahead of [0, 1_999, -1_999]) expect(read(ahead)).toStrictEqual(later(0));
  for (const ahead of [2_000, 2_999]) expect(read(ahead)).toStrictEqual(later(-2_000));
  for (const ahead of [3_000, 4_999]) expect(read(ahead)).toStrictEqual(later(-4_000));
  for (const ahead of [-2_000, -3_000]) expect(read(ahead)).toStrictEqual(later(2_000));
  for (const ahead of [-3_001, -4_000]) expect(read(ahead)).toStrictEqual(later(4_000));
});

test("a row has the track, its machine and its hash", () => {
  const state = JSON.stringify({ live: { session: "s" }, updatedAt: NOW });
  const row = { ...rowOf(10_000), id: "7", hash: "h", name: "desk", state };
  expect(trackOf(row, NOW)).toStrictEqual({
    live: { session: "s" },
    updatedAt: NOW - 10_000,
    machine: "desk",
    row: 7,
    hash: "h",
  });
});
