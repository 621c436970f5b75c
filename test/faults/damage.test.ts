import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WaymarkError } from "../../src/core/error.ts";
import { foldEvents } from "../../src/core/evolve.ts";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { integrityOf } from "../concurrency/integrity.ts";
import { FULL } from "../full.ts";
import { chanceFrom } from "./power-cut.ts";
import { quickPlace } from "./quick-place.ts";

const TRACK = { session: "s", agent: "main" };
const STORES = FULL ? 20 : 1;
const CUTS = FULL ? 4_096 : 250;
const BYTES = FULL ? 64 : 24;
const BLOCKS = FULL ? 100 : 12;
const SEED = Number(process.env.WAYMARK_SEED ?? Date.now() % 100_000);
const NEWLINE = 0x0a;
const TEXTS = ["plain", 'quotes " and \\', "wide 漢字 👩‍👩‍👧‍👦", "long ".repeat(60)];

/** One kind of damage to a file: the new content, and the damaged bytes. */
interface Damage {
  readonly what: string;
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

function* damagesTo(whole: Buffer, chance: ReturnType<typeof chanceFrom>): Generator<Damage> {
  for (let n = 1; n <= Math.min(CUTS, whole.length); n++) {
    const end = whole.length - n;
    yield { what: `cut at ${end}`, bytes: whole.subarray(0, end), from: end, to: whole.length };
  }
  for (let n = 0; n < BYTES; n++) {
    const place = chance.below(whole.length);
    for (let bit = 0; bit < 8; bit++) {
      const bytes = Buffer.from(whole);
      bytes[place] = (whole[place] ?? 0) ^ (1 << bit);
      // Removing a line break merges two lines.
      const to = place + (whole[place] === NEWLINE ? 2 : 1);
      yield { what: `bit ${bit} of ${place}`, bytes, from: place, to };
    }
  }
  for (let n = 0; n < BLOCKS; n++) {
    const place = chance.below(whole.length);
    const parts = [whole.subarray(0, place), Buffer.alloc(4_096), whole.subarray(place)];
    yield { what: `NUL at ${place}`, bytes: Buffer.concat(parts), from: place, to: place + 1 };
  }
}

/** Offsets of the lines of a file, including their line breaks. */
function linesOf(bytes: Buffer): { readonly from: number; readonly to: number }[] {
  const lines = [];
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf(NEWLINE, from) + 1 || bytes.length;
    lines.push({ from, to });
    from = to;
  }
  return lines;
}

async function keysOf(path: string): Promise<string[]> {
  const store = await sqliteStore(path, { createDirectory: true, onWarning() {} });
  try {
    return (await store.events(TRACK)).map(({ key }) => key);
  } finally {
    await store.close();
  }
}

describe("a damaged store", { timeout: 600_000 }, () => {
  test("reads every intact line of a journal, reports damaged ones, and accepts more", {
    tags: ["damaged-store"],
  }, async () => {
    const chance = chanceFrom(SEED);
    let tried = 0;
    for (let n = 0; n < STORES; n++) {
      const dir = quickPlace();
      const path = join(dir, "s-agent-main.events.jsonl");
      const store = snapshotStore(dir);
      const count = 5 + chance.below(6);
      for (let k = 0; k < count; k++)
        await store.commit(TRACK, `k${k}`, addTodo(`k${k}`, `${k} ${TEXTS[chance.below(4)]}`));
      await store.close();
      const whole = readFileSync(path);
      const lines = linesOf(whole);
      for (const { what, bytes, from, to } of damagesTo(whole, chance)) {
        writeFileSync(path, bytes);
        const warnings: string[] = [];
        const hurt = snapshotStore(dir, { onWarning: (message) => warnings.push(message) });
        const events = await hurt.events(TRACK);
        const expected = lines.flatMap((line, place) => {
          const isHurt = from < line.to && to > line.from;
          return place === 0 || isHurt ? [] : [`k${place - 1}`];
        });
        const where = `${what}, seed ${SEED}`;
        const keys = events.map(({ key }) => key);
        // Without a journal, the list beside it is the starting point.
        const start = expected.length === 0 && keys.length > 0 ? ["waymark:snapshot"] : expected;
        expect({ where, keys }).toStrictEqual({ where, keys: start });
        expect(await hurt.read(TRACK)).toStrictEqual(foldEvents(TRACK, events));
        // A file cut at the end of a line, or in the header, has no unreadable line; a last line
        // without a line break may be a write in progress.
        const isSilent = what.startsWith("cut") || bytes.at(-1) !== NEWLINE;
        if (expected.length < count && !isSilent)
          expect({ where, warned: warnings.length > 0 }).toStrictEqual({ where, warned: true });
        if (tried % 10 === 0) {
          const next = await hurt.commit(TRACK, "next", addTodo("next", "more"));
          expect({ where, ok: next.ok }).toStrictEqual({ where, ok: true });
          const again = snapshotStore(dir, { onWarning() {} });
          // One more event may appear: it lacked only the line break that the next write adds.
          const after = (await again.events(TRACK)).map(({ key }) => key);
          const kept = after.filter((key) => expected.includes(key));
          expect({ where, kept }).toStrictEqual({ where, kept: expected });
          expect({ where, last: after.at(-1) }).toStrictEqual({ where, last: "next" });
          await again.close();
        }
        await hurt.close();
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThanOrEqual(STORES * 300);
  });

  test("reads a database unchanged, or refuses it with a reason and leaves it alone", {
    tags: ["damaged-store"],
  }, async () => {
    const chance = chanceFrom(SEED);
    const path = join(quickPlace(), "store.db");
    const store = await sqliteStore(path, { createDirectory: true });
    for (let k = 0; k < 12; k++) await store.commit(TRACK, `k${k}`, addTodo(`k${k}`, `todo ${k}`));
    const whole = readFileSync(path);
    await store.close();
    let refused = 0;
    for (let n = 0; n < (FULL ? 1_500 : 40); n++) {
      const bytes = Buffer.from(whole);
      const place = chance.below(whole.length);
      const kind = n % 4;
      if (kind === 0) bytes.fill(0, place, Math.min(place + 4_096, bytes.length));
      // Invalid UTF-8 is left out: libsql itself crashes when it reads it.
      if (kind === 1) bytes[place] = (whole[place] ?? 0) ^ (1 << chance.below(7));
      // The pages of the schema.
      if (kind === 3) bytes.fill(chance.below(128), chance.below(100), 100 + chance.below(4_000));
      const left = kind === 2 ? bytes.subarray(0, place) : bytes;
      const damaged = join(quickPlace(), "store.db");
      writeFileSync(damaged, left);
      const where = `damage ${n} at ${place}, seed ${SEED}`;
      const found = await keysOf(damaged).catch((error: unknown) => error);
      if (Array.isArray(found)) {
        // An empty file is a new store; otherwise everything that SQLite finds intact is present.
        const isWhole = (await integrityOf(damaged).catch(() => "malformed")) === "ok";
        if (left.length > 0 && isWhole)
          expect({ where, count: found.length }).toStrictEqual({ where, count: 12 });
      } else {
        refused += 1;
        expect({ where, found }).toStrictEqual({ where, found: expect.any(WaymarkError) });
        expect(readFileSync(damaged).equals(left)).toBe(true);
      }
    }
    expect(refused).toBeGreaterThan(5);
  });
});
