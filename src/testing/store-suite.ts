import { describe, expect, it } from "vitest";
import { emptyTrack, foldEvents } from "../core/evolve.ts";
import type { Outcome, TrackId } from "../core/model.ts";
import type { Awaitable, RecordedEvent, Store } from "../stores/store.ts";
import {
  addTodo,
  neverCalled,
  noChange,
  REFUSAL,
  refuseAll,
  refusePart,
  START,
} from "./decisions.ts";

/** A store to test. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again on the same data. Required if it is durable. */
  reopen?(): Awaitable<Store>;
  /** Opens a second store object on the same data. Required if it is shared. */
  another?(): Awaitable<Store>;
  /** Closes every store object and removes the data. */
  cleanup(): Awaitable<void>;
}

/** Optional capabilities of a store. Tests of missing ones are reported as skipped. */
export interface Capabilities {
  /** Committed data is there after reopening. */
  readonly durable: boolean;
  /** Several store objects, of one process or many, can use the same data. */
  readonly shared: boolean;
  /** Every string is a valid id, not only ids that are safe in file names. */
  readonly anyId: boolean;
}

const MAIN: TrackId = { session: "s1", agent: "main" };
const OTHER: TrackId = { session: "s2", agent: "main" };

const SAFE_IDS = ["a", "A1", "0", "with.dot", "under_score", "a-b--c", "x".repeat(100), "agent-7"];
const HOSTILE_IDS = [
  "",
  ".",
  "..",
  "../../etc/passwd",
  "/absolute",
  "C:\\windows",
  "nul\u0000byte",
  "new\nline",
  "'; DROP TABLE tracks; --",
  '"quoted"',
  "%2e%2e%2f",
  "\ud800",
  "\ud801",
  "e\u0301",
  "\u00e9",
  "🧭",
  "x".repeat(4_096),
];

const TEXTS = [
  "plain",
  "",
  "quotes ' \" ` and \\ backslashes \\n",
  "line\nbreak\r\nand\ttab",
  "nul \u0000 and escape \u001b[31m",
  "separators \u2028 \u2029 and bom \ufeff",
  "astral 🧭👩‍👩‍👧‍👦 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
  "right to left \u202e שלום",
  "lone \ud800 surrogates \udfff",
  "<b>tags</b> & </system-reminder>",
  '{"waymark":1}',
  "__proto__",
  "x".repeat(100_000),
  "🧭".repeat(25_000),
];

/** Waits up to 10 seconds for a condition. */
async function until(done: () => boolean): Promise<void> {
  const limit = performance.now() + 10_000;
  while (!done() && performance.now() < limit)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/**
 * Registers vitest tests of everything that a store has to guarantee. Call it at the top level of a test
 * file, once per store.
 *
 * @param name the name of the store, for the test titles
 * @param open opens an empty store for one test
 * @param capabilities the optional capabilities of the store
 * @returns nothing; the tests are registered with vitest
 * @example
 * ```ts
 * import { memoryStore } from "waymark";
 * import { storeContract } from "waymark/testing";
 *
 * storeContract(
 *   "my store",
 *   () => {
 *     const store = memoryStore();
 *     return { store, cleanup: () => store.close() };
 *   },
 *   { durable: false, shared: false, anyId: true },
 * );
 * ```
 */
export function storeContract(
  name: string,
  open: () => Awaitable<OpenedStore>,
  capabilities: Capabilities,
): void {
  async function using(work: (opened: OpenedStore) => Promise<void>): Promise<void> {
    const opened = await open();
    try {
      await work(opened);
    } finally {
      await opened.cleanup();
    }
  }

  async function reopened(opened: OpenedStore): Promise<Store> {
    if (!opened.reopen) throw new Error("a durable store needs reopen()");
    return opened.reopen();
  }

  async function openSecond(opened: OpenedStore): Promise<Store> {
    if (!opened.another) throw new Error("a shared store needs another()");
    return opened.another();
  }

  const itDurable = it.skipIf(!capabilities.durable);
  const itShared = it.skipIf(!capabilities.shared);
  const itAny = it.skipIf(!capabilities.anyId);
  const itFile = it.skipIf(capabilities.anyId);

  describe(`${name}: store contract`, () => {
    it("reads an unknown track as empty", () =>
      using(async ({ store }) => {
        expect(store.durable).toBe(capabilities.durable);
        expect(await store.read(MAIN)).toStrictEqual(emptyTrack(MAIN));
        expect(await store.events(MAIN)).toStrictEqual([]);
        expect(await store.tracks()).toStrictEqual([]);
      }));

    it("returns the event and the track before and after a commit", () =>
      using(async ({ store }) => {
        const event = {
          seq: 1,
          key: "k1",
          at: START + 1,
          by: "agent",
          via: "suite",
          changes: [
            { type: "track.opened", cwd: "/home/someone/project" },
            { type: "todo.added", todo: { id: "1", text: "first", status: "pending" } },
          ],
        } as const;
        const after = foldEvents(MAIN, [event]);
        expect(await store.commit(MAIN, "k1", addTodo("k1", "first"))).toStrictEqual({
          ok: true,
          duplicate: false,
          event,
          rejected: [],
          before: emptyTrack(MAIN),
          after,
        } satisfies Outcome);
        expect(await store.read(MAIN)).toStrictEqual(after);
        expect(await store.events(MAIN)).toStrictEqual([event]);
        expect(await store.tracks()).toStrictEqual([after]);
      }));

    it("calls decide with the current track", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "k1", addTodo("k1", "first"));
        const now = await store.read(MAIN);
        const seen: unknown[] = [];
        await store.commit(MAIN, "k2", (track) => {
          seen.push(track);
          return noChange("k2")(track);
        });
        expect(seen).toStrictEqual([now]);
      }));

    it("lets decide read the store", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "k1", noChange("k1"));
        const seen: Awaitable<unknown>[] = [];
        await store.commit(MAIN, "k2", (track) => {
          seen.push(store.read(OTHER), store.events(OTHER));
          return noChange("k2")(track);
        });
        expect(await Promise.all(seen)).toStrictEqual([emptyTrack(OTHER), []]);
      }));

    it("numbers the events of each track without gaps", () =>
      using(async ({ store }) => {
        for (let n = 1; n <= 7; n++) {
          await store.commit(MAIN, `a${n}`, addTodo(`a${n}`, `todo ${n}`));
          await store.commit(OTHER, `b${n}`, noChange(`b${n}`));
        }
        const numbers = [1, 2, 3, 4, 5, 6, 7];
        expect((await store.events(MAIN)).map((event) => event.seq)).toStrictEqual(numbers);
        expect((await store.events(OTHER)).map((event) => event.seq)).toStrictEqual(numbers);
      }));

    it("returns the events after a number", () =>
      using(async ({ store }) => {
        for (const key of ["a", "b", "c"]) await store.commit(MAIN, key, noChange(key));
        const keys = async (after?: number) =>
          (await store.events(MAIN, after)).map((event) => event.key);
        expect(await keys()).toStrictEqual(["a", "b", "c"]);
        expect(await keys(0)).toStrictEqual(["a", "b", "c"]);
        expect(await keys(2)).toStrictEqual(["c"]);
        expect(await keys(3)).toStrictEqual([]);
        expect(await keys(99)).toStrictEqual([]);
      }));

    it("returns a duplicate for a known key without calling decide", () =>
      using(async ({ store }) => {
        const first = await store.commit(MAIN, "k", addTodo("k", "once"));
        await store.commit(MAIN, "other", addTodo("other", "twice"));
        const now = await store.read(MAIN);
        expect(await store.commit(MAIN, "k", neverCalled())).toStrictEqual({
          ok: true,
          duplicate: true,
          event: first.event,
          rejected: [],
          before: now,
          after: now,
        } as Outcome);
        expect(await store.events(MAIN)).toHaveLength(2);
      }));

    it("repeats partial refusals in a duplicate", () =>
      using(async ({ store }) => {
        const first = await store.commit(MAIN, "k", refusePart("k"));
        const now = await store.read(MAIN);
        const answer = { ok: false, event: first.event, rejected: [REFUSAL] };
        expect(first).toStrictEqual({
          ...answer,
          duplicate: false,
          before: emptyTrack(MAIN),
          after: now,
        });
        expect(await store.commit(MAIN, "k", neverCalled())).toStrictEqual({
          ...answer,
          duplicate: true,
          before: now,
          after: now,
        });
      }));

    it("scopes keys to a track", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "k", noChange("k"));
        expect((await store.commit(OTHER, "k", noChange("k"))).duplicate).toBe(false);
      }));

    it("changes nothing if decide refuses, and calls it again for the same key", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "k1", addTodo("k1", "first"));
        const now = await store.read(MAIN);
        const received: RecordedEvent[] = [];
        const stop = store.watch((recorded) => received.push(recorded));
        expect(await store.commit(MAIN, "k2", refuseAll())).toStrictEqual({
          ok: false,
          duplicate: false,
          rejected: [REFUSAL],
          before: now,
          after: now,
        });
        expect(await store.read(MAIN)).toStrictEqual(now);
        expect(await store.events(MAIN)).toHaveLength(1);
        expect((await store.commit(MAIN, "k2", noChange("k2"))).ok).toBe(true);
        await until(() => received.length > 0);
        stop();
        expect(received.map((recorded) => recorded.event.key)).toStrictEqual(["k2"]);
      }));

    it("stores nothing if the first write is refused", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "k", refuseAll());
        expect(await store.tracks()).toStrictEqual([]);
        expect(await store.read(MAIN)).toStrictEqual(emptyTrack(MAIN));
      }));

    it("stays usable if decide throws", () =>
      using(async ({ store }) => {
        await expect((async () => store.commit(MAIN, "k", neverCalled()))()).rejects.toThrow(
          "must not be",
        );
        expect((await store.commit(MAIN, "k", addTodo("k", "after"))).ok).toBe(true);
        expect((await store.read(MAIN)).version).toBe(1);
      }));

    it.each([
      ["a wrong number", 2, "k"],
      ["a wrong key", 1, "other"],
    ])("refuses an event with %s", (_, seq, key) =>
      using(async ({ store }) => {
        const decide = () =>
          ({
            ok: true,
            event: { seq, key, at: START, by: "agent", via: "suite", changes: [] },
          }) as const;
        await expect((async () => store.commit(MAIN, "k", decide))()).rejects.toMatchObject({
          name: "WaymarkError",
          code: "bad_event",
        });
        expect(await store.events(MAIN)).toStrictEqual([]);
      }),
    );

    it("applies 64 concurrent commits in the order of the calls", () =>
      using(async ({ store }) => {
        const keys = Array.from({ length: 64 }, (_, n) => `k${n}`);
        const outcomes = await Promise.all(
          keys.map((key) => store.commit(MAIN, key, addTodo(key, `todo ${key}`))),
        );
        expect(outcomes.map((outcome) => outcome.event?.seq)).toStrictEqual(
          keys.map((_, n) => n + 1),
        );
        expect((await store.events(MAIN)).map((event) => event.key)).toStrictEqual(keys);
        expect((await store.read(MAIN)).todos).toHaveLength(64);
      }));

    it("delivers every event to a subscriber once and in order", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "before", noChange("before"));
        const received: RecordedEvent[] = [];
        const stop = store.watch((recorded) => received.push(recorded));
        for (let n = 0; n < 10; n++) {
          await store.commit(MAIN, `a${n}`, addTodo(`a${n}`, `todo ${n}`));
          await store.commit(OTHER, `b${n}`, noChange(`b${n}`));
        }
        await until(() => received.length >= 20);
        stop();
        await store.commit(MAIN, "late", noChange("late"));
        await new Promise((resolve) => setTimeout(resolve, 50));
        const of = (id: TrackId) =>
          received.filter(({ track }) => track.session === id.session).map(({ event }) => event);
        expect(of(MAIN)).toStrictEqual((await store.events(MAIN)).slice(1, -1));
        expect(of(OTHER)).toStrictEqual(await store.events(OTHER));
        expect(received.map(({ track }) => track).slice(0, 2)).toStrictEqual([MAIN, OTHER]);
        const positions = received.map(({ position }) => position);
        expect(positions).toStrictEqual([...new Set(positions)].toSorted((a, b) => a - b));
      }));

    it("lets a subscriber commit, unsubscribe and throw", () =>
      using(async ({ store }) => {
        const received: string[] = [];
        const answers: Awaitable<Outcome>[] = [];
        const stopOne = store.watch(({ event }) => {
          stopOne();
          answers.push(store.commit(MAIN, `re-${event.key}`, noChange(`re-${event.key}`)));
          throw new Error("this subscriber fails on purpose");
        });
        const stop = store.watch(({ event }) => received.push(event.key));
        await store.commit(MAIN, "k", noChange("k"));
        await until(() => received.length >= 2);
        stop();
        expect(received).toStrictEqual(["k", "re-k"]);
        expect((await answers[0])?.ok).toBe(true);
      }));

    it("lists tracks by session, directory and limit, the last written first", () =>
      using(async ({ store }) => {
        const ids: readonly [string, string, string][] = [
          ["s1", "main", "/one"],
          ["s1", "sub", "/two"],
          ["s2", "main", "/one"],
          ["s3", "main", "/three"],
        ];
        let at = START;
        const write = (session: string, agent: string, cwd: string, key: string) =>
          store.commit({ session, agent }, key, (track) => {
            const decision = addTodo(key, "todo", cwd)(track);
            at += 1_000;
            return decision.ok ? { ok: true, event: { ...decision.event, at } } : decision;
          });
        for (const [session, agent, cwd] of ids) await write(session, agent, cwd, "k1");
        await write("s1", "main", "/one", "k2");
        const names = async (filter?: Parameters<Store["tracks"]>[0]) =>
          (await store.tracks(filter)).map((track) => `${track.session}/${track.agent}`);
        expect(await names()).toStrictEqual(["s1/main", "s3/main", "s2/main", "s1/sub"]);
        expect(await names({ session: "s1" })).toStrictEqual(["s1/main", "s1/sub"]);
        expect(await names({ cwd: "/one" })).toStrictEqual(["s1/main", "s2/main"]);
        expect(await names({ limit: 2 })).toStrictEqual(["s1/main", "s3/main"]);
        expect(await names({ limit: 0 })).toStrictEqual([]);
        expect(await names({ session: "s1", cwd: "/two", limit: 5 })).toStrictEqual(["s1/sub"]);
        expect(await names({ session: "none" })).toStrictEqual([]);
        expect((await store.tracks())[0]).toStrictEqual(
          await store.read({ session: "s1", agent: "main" }),
        );
      }));

    it("stores texts unchanged", () =>
      using(async (opened) => {
        for (const [n, text] of TEXTS.entries())
          await opened.store.commit(MAIN, `k${n}`, addTodo(`k${n}`, text));
        const store = capabilities.durable ? await reopened(opened) : opened.store;
        expect((await store.read(MAIN)).todos.map((todo) => todo.text)).toStrictEqual(TEXTS);
        expect(foldEvents(MAIN, await store.events(MAIN))).toStrictEqual(await store.read(MAIN));
      }));

    it("distinguishes all keys", () =>
      using(async (opened) => {
        const keys = [...TEXTS, "\ud800", "\ud801", "Case", "case", "e\u0301", "\u00e9"];
        for (const key of keys)
          expect((await opened.store.commit(MAIN, key, noChange(key))).duplicate).toBe(false);
        const store = capabilities.durable ? await reopened(opened) : opened.store;
        expect((await store.events(MAIN)).map((event) => event.key)).toStrictEqual(keys);
        for (const key of keys)
          expect((await store.commit(MAIN, key, neverCalled())).event?.key).toBe(key);
      }));

    it("distinguishes tracks with safe ids", () =>
      using(async ({ store }) => {
        for (const session of SAFE_IDS)
          for (const agent of SAFE_IDS)
            await store.commit({ session, agent }, "k", addTodo("k", `${session} ${agent}`));
        for (const session of SAFE_IDS)
          for (const agent of SAFE_IDS) {
            const { todos, version } = await store.read({ session, agent });
            expect([version, todos.map((todo) => todo.text)]).toStrictEqual([
              1,
              [`${session} ${agent}`],
            ]);
          }
        expect(await store.tracks()).toHaveLength(SAFE_IDS.length ** 2);
      }));

    itAny("distinguishes tracks with hostile ids", () =>
      using(async ({ store }) => {
        const ids = HOSTILE_IDS.flatMap((id) => [
          { session: id, agent: "main" },
          { session: "s", agent: id },
        ]);
        for (const id of ids) await store.commit(id, "k", addTodo("k", JSON.stringify(id)));
        for (const id of ids) {
          const { session, agent, version, todos } = await store.read(id);
          expect({ session, agent, version, texts: todos.map((todo) => todo.text) }).toStrictEqual({
            ...id,
            version: 1,
            texts: [JSON.stringify(id)],
          });
        }
      }),
    );

    itFile("refuses hostile ids in every method", () =>
      using(async ({ store }) => {
        const badId = { name: "WaymarkError", code: "bad_id" };
        for (const bad of HOSTILE_IDS)
          for (const id of [
            { session: bad, agent: "main" },
            { session: "s", agent: bad },
          ]) {
            await expect((async () => store.read(id))()).rejects.toMatchObject(badId);
            await expect((async () => store.events(id))()).rejects.toMatchObject(badId);
            await expect(
              (async () => store.commit(id, "k", noChange("k")))(),
            ).rejects.toMatchObject(badId);
          }
        expect(await store.tracks()).toStrictEqual([]);
      }),
    );

    it("fails after it is closed", () =>
      using(async ({ store }) => {
        await store.close();
        const closed = { name: "WaymarkError", code: "store_closed" };
        await expect((async () => store.read(MAIN))()).rejects.toMatchObject(closed);
        await expect((async () => store.commit(MAIN, "k", noChange("k")))()).rejects.toMatchObject(
          closed,
        );
      }));

    itDurable("has all data after reopening", () =>
      using(async (opened) => {
        const { store } = opened;
        for (let n = 0; n < 5; n++)
          await store.commit(MAIN, `k${n}`, addTodo(`k${n}`, `todo ${n}`));
        await store.commit(OTHER, "k", addTodo("k", "elsewhere"));
        const all = async (from: Store) => ({
          read: await from.read(MAIN),
          events: await from.events(MAIN),
          tracks: await from.tracks(),
        });
        const before = await all(store);
        const again = await reopened(opened);
        expect(await all(again)).toStrictEqual(before);
        const duplicate = await again.commit(MAIN, "k0", neverCalled());
        expect([duplicate.duplicate, duplicate.event]).toStrictEqual([true, before.events[0]]);
        expect((await again.commit(MAIN, "k5", addTodo("k5", "more"))).event?.seq).toBe(6);
      }),
    );

    itShared("works with a second store object on the same data", () =>
      using(async (opened) => {
        const { store } = opened;
        const other = await openSecond(opened);
        const received: string[] = [];
        const stop = other.watch(({ event }) => received.push(event.key));
        // A watch on a server starts in the background; a commit of its own store waits for it.
        const first = await other.commit(MAIN, "k0", addTodo("k0", "k0"));
        const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);
        const outcomes = [
          first,
          ...(await Promise.all(
            keys
              .slice(1)
              .map((key, n) => (n % 2 ? other : store).commit(MAIN, key, addTodo(key, key))),
          )),
        ];
        expect(outcomes.map((outcome) => outcome.ok)).toStrictEqual(keys.map(() => true));
        await until(() => received.length >= keys.length);
        stop();
        const events = await store.events(MAIN);
        expect(await other.events(MAIN)).toStrictEqual(events);
        expect(events.map((event) => event.key).toSorted()).toStrictEqual(keys.toSorted());
        expect(received).toStrictEqual(events.map((event) => event.key));
        expect(await store.read(MAIN)).toStrictEqual(foldEvents(MAIN, events));
        expect(await other.read(MAIN)).toStrictEqual(foldEvents(MAIN, events));
        expect((await other.commit(MAIN, "k1", neverCalled())).duplicate).toBe(true);
      }),
    );
  });
}
