import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../../src/core/stream/events.ts";
import { trackKey } from "../../src/core/text/ids.ts";
import { newDedupe } from "../../src/sessions/transcripts/dedupe.ts";
import type { FoundSource } from "../../src/sessions/transcripts/discover.ts";
import type { Indexed } from "../../src/sessions/transcripts/fold.ts";
import type { TranscriptUpdate } from "../../src/sessions/transcripts/follow.ts";

type Kind = FoundSource["kind"];

/** The state of a decoder: another object when a file is read again from its beginning. */
const stateOf = (name: string) => ({ name }) as unknown as Indexed["state"];
const FIRST = stateOf("first");
const SECOND = stateOf("second");

/** An entry of a file of 100 bytes, with the time of the last event of each agent. */
function entryOf(
  times: Readonly<Record<string, number>>,
  more: Partial<Indexed> & { readonly warnedAt?: number } = {},
): Indexed {
  const { warnedAt, ...rest } = more;
  const lives = Object.entries(times).map(([agent, lastAt]) => [
    trackKey({ session: "s", agent }),
    { session: "s", agent, activity: { lastAt }, ...(warnedAt !== undefined && { warnedAt }) },
  ]);
  return {
    key: "/a",
    size: 100,
    state: FIRST,
    lives: Object.fromEntries(lives),
    ...rest,
  } as unknown as Indexed;
}
const sourceOf = (kind: Kind = "file", size = 100) => ({ kind, size }) as FoundSource;

const updateAt = (timestamp: number, agentId = "main", more: object = {}) =>
  ({
    event: { type: "message", sessionId: "s", agentId, timestamp },
    ...more,
  }) as unknown as TranscriptUpdate;
const warningAt = (timestamp: number, message = "m", eventId = "e") => {
  const event = { type: "warning", sessionId: "s", agentId: "main", timestamp, eventId, message };
  return { event: event as unknown as StreamEvent } as TranscriptUpdate;
};

const timesOf = (updates: readonly TranscriptUpdate[]) =>
  updates.map(({ event }) => event.timestamp);
const UPDATES = [updateAt(4), updateAt(5), updateAt(6)];

describe("a file", () => {
  test("is reported in full if nothing of its agents was reported", () => {
    const dedupe = newDedupe();
    expect(dedupe.unreported(UPDATES, sourceOf(), undefined, entryOf({ main: 6 }))).toEqual(
      UPDATES,
    );
    // Nor is anything remembered of a file that continues.
    expect(dedupe.unreported(UPDATES, sourceOf(), undefined, entryOf({ main: 6 }))).toEqual(
      UPDATES,
    );
  });

  test("that continues is reported in full, whatever the clock did", () => {
    const dedupe = newDedupe();
    dedupe.removed(entryOf({ main: 9 }));
    const known = entryOf({ main: 9 });
    expect(dedupe.unreported(UPDATES, sourceOf(), known, entryOf({ main: 9 }))).toBe(UPDATES);
  });

  test("that was moved is reported from its last event", () => {
    const dedupe = newDedupe();
    dedupe.removed(entryOf({ main: 5 }));
    const moved = entryOf({ main: 6, a: 5 }, { key: "/b" });
    const updates = [...UPDATES, updateAt(5, "a")];
    expect(dedupe.unreported(updates, sourceOf(), undefined, moved)).toEqual([
      updateAt(6),
      updateAt(5, "a"),
    ]);
  });

  test("is reported from its last event when it is read again from the beginning", () => {
    const dedupe = newDedupe();
    const again = entryOf({ main: 6 }, { state: SECOND });
    expect(dedupe.unreported(UPDATES, sourceOf(), entryOf({ main: 5 }), again)).toEqual([
      updateAt(6),
    ]);
    // It is complete, so the next read only has what is new.
    expect(dedupe.unreported(UPDATES, sourceOf(), again, again)).toBe(UPDATES);
  });

  test("is reported from its last event until all of it was read again", () => {
    const dedupe = newDedupe();
    const known = entryOf({ main: 5 });
    const part = (size: number) => entryOf({ main: 6 }, { state: SECOND, size });
    const read = (before: Indexed, after: Indexed) =>
      timesOf(dedupe.unreported(UPDATES, sourceOf(), before, after));
    expect(read(known, part(30))).toEqual([6]);
    expect(read(part(30), part(60))).toEqual([6]);
    expect(read(part(60), part(100))).toEqual([6]);
    expect(read(part(100), part(100))).toEqual([4, 5, 6]);
  });

  test("that was removed while it was read again continues as a new one", () => {
    const dedupe = newDedupe();
    const part = entryOf({ main: 5 }, { state: SECOND, size: 30 });
    dedupe.unreported([], sourceOf(), entryOf({ main: 5 }), part);
    dedupe.removed(part);
    expect(dedupe.unreported(UPDATES, sourceOf(), part, part)).toBe(UPDATES);
  });

  test("does not make an agent older than another file of it", () => {
    const dedupe = newDedupe();
    dedupe.removed(entryOf({ main: 5 }));
    dedupe.removed(entryOf({ main: 3 }, { key: "/b" }));
    const moved = entryOf({ main: 6 }, { key: "/c" });
    expect(timesOf(dedupe.unreported(UPDATES, sourceOf(), undefined, moved))).toEqual([6]);
  });
});

test("the 10,000 agents that were updated last are remembered", () => {
  const dedupe = newDedupe();
  const agents = Array.from({ length: 10_000 }, (_, index) => [`a${index}`, 5]);
  dedupe.removed(entryOf(Object.fromEntries(agents)));
  const reported = (...names: readonly string[]) =>
    dedupe
      .unreported(
        names.map((name) => updateAt(5, name)),
        sourceOf(),
        undefined,
        entryOf({}, { key: "/other" }),
      )
      .map(({ event }) => event.agentId);
  expect(reported("a0", "a1", "a9999", "new")).toEqual(["new"]);
  dedupe.removed(entryOf({ a0: 4 }));
  dedupe.removed(entryOf({ new: 5 }));
  expect(reported("a0", "a1", "a2", "a9999", "new")).toEqual(["a1"]);
});

describe.each(["document", "sqlite"] as const)("a %s", (kind) => {
  const source = sourceOf(kind);
  const again = entryOf({ main: 6 }, { state: SECOND });

  test("is reported with what is later than its previous read", () => {
    const dedupe = newDedupe();
    const changed = updateAt(4, "main", { change: { changes: [{ type: "observed" }] } });
    const unchanged = updateAt(4, "main", { change: { changes: [] } });
    const updates = [...UPDATES, changed, unchanged, updateAt(1, "a")];
    expect(dedupe.unreported(updates, source, entryOf({ main: 5 }), again)).toEqual([
      updateAt(6),
      changed,
      updateAt(1, "a"),
    ]);
  });

  test("is reported in full if it continues", () => {
    const dedupe = newDedupe();
    expect(dedupe.unreported(UPDATES, source, again, again)).toBe(UPDATES);
  });

  test("that is new is reported from the last event of its agents", () => {
    const dedupe = newDedupe();
    dedupe.removed(entryOf({ main: 5 }, { key: "/b" }));
    expect(timesOf(dedupe.unreported(UPDATES, source, undefined, again))).toEqual([6]);
  });

  test("has the warnings that its previous read did not have", () => {
    const dedupe = newDedupe();
    const known = entryOf({ main: 5 });
    const read = (
      updates: readonly TranscriptUpdate[],
      before: Indexed | undefined,
      name: string,
    ) => dedupe.unreported(updates, source, before, entryOf({ main: 5 }, { state: stateOf(name) }));
    const one = warningAt(6);
    expect(read([one, updateAt(6)], undefined, "a")).toEqual([one, updateAt(6)]);
    const other = warningAt(6, "other");
    const later = warningAt(6, "m", "later");
    expect(read([one, other, later], known, "b")).toEqual([other, later]);
    expect(read([other], known, "c")).toEqual([]);
    // Compared with the previous read only.
    expect(read([one, other], known, "d")).toEqual([one]);
  });

  test("keeps its warnings while it continues, and not after it was removed", () => {
    const dedupe = newDedupe();
    const known = entryOf({ main: 5 }, { warnedAt: 9 });
    const read = (updates: readonly TranscriptUpdate[], state: Indexed["state"]) =>
      dedupe.unreported(updates, source, known, entryOf({ main: 5 }, { state }));
    dedupe.unreported([warningAt(6)], source, undefined, entryOf({ main: 5 }));
    expect(read([], FIRST)).toEqual([]);
    expect(read([warningAt(6)], SECOND)).toEqual([]);
    dedupe.removed(known);
    expect(timesOf(read([warningAt(9), warningAt(10)], stateOf("third")))).toEqual([10]);
  });

  test("has the warnings after the newest known one, if the previous read is unknown", () => {
    const updates = [warningAt(6), warningAt(7), warningAt(8)];
    const reported = (known: Indexed) =>
      timesOf(newDedupe().unreported(updates, source, known, again));
    expect(reported(entryOf({ main: 5 }, { warnedAt: 7 }))).toEqual([8]);
    expect(reported(entryOf({ main: 5 }))).toEqual([6, 7, 8]);
    expect(reported(entryOf({ main: 6 }))).toEqual([7, 8]);
    expect(reported(entryOf({}))).toEqual([6, 7, 8]);
  });
});
