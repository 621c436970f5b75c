import { describe, expect, it } from "vitest";
import { emptyTrack, foldEvents } from "../core/evolve.ts";
import type { Outcome, TrackId } from "../core/model.ts";
import type { Awaitable, Recorded, Store } from "../stores/store.ts";
import {
  adds,
  changesNothing,
  neverAsked,
  REFUSAL,
  refuses,
  refusesPart,
  START,
} from "./judges.ts";

/** A store under test. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again on the same place. */
  reopen?(): Awaitable<Store>;
  /** A second store object on the same place, open beside the first. */
  another?(): Awaitable<Store>;
  /** Closes whatever is open and takes the place away. */
  cleanup(): Awaitable<void>;
}

/** What a store can do beyond the least. A case that it cannot do is named as left out. */
export interface Capabilities {
  /** What was committed is there after closing and opening again. */
  readonly lasting: boolean;
  /** Several store objects, of one process or many, work on one place. */
  readonly shared: boolean;
  /** Every string may be an id. Otherwise only ids that are harmless in a file name. */
  readonly anyId: boolean;
}

const MAIN: TrackId = { session: "s1", agent: "main" };
const OTHER: TrackId = { session: "s2", agent: "main" };

const HARMLESS_IDS = [
  "a",
  "A1",
  "0",
  "with.dot",
  "under_score",
  "a-b--c",
  "x".repeat(100),
  "agent-7",
];
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

/** Waits for what another process or a timer brings about. */
async function until(done: () => boolean): Promise<void> {
  const limit = performance.now() + 10_000;
  while (!done() && performance.now() < limit)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/**
 * What every store owes, as tests of vitest. Call it at the top level of a test file, once for
 * each store; `open` gives an empty store each time.
 *
 * @param name the name of the store in the titles of the tests
 * @param open opens an empty store for one test
 * @param capabilities what the store can do
 * @returns nothing; the tests are registered with vitest
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
    if (!opened.reopen) throw new Error("a lasting store needs reopen()");
    return opened.reopen();
  }

  async function beside(opened: OpenedStore): Promise<Store> {
    if (!opened.another) throw new Error("a shared store needs another()");
    return opened.another();
  }

  const itLasting = it.skipIf(!capabilities.lasting);
  const itShared = it.skipIf(!capabilities.shared);
  const itAny = it.skipIf(!capabilities.anyId);
  const itFile = it.skipIf(capabilities.anyId);

  describe(`${name} keeps the contract of a store`, () => {
    it("reads an empty track where nothing was kept", () =>
      using(async ({ store }) => {
        expect(store.durable).toBe(capabilities.lasting);
        expect(await store.read(MAIN)).toStrictEqual(emptyTrack(MAIN));
        expect(await store.events(MAIN)).toStrictEqual([]);
        expect(await store.tracks()).toStrictEqual([]);
      }));

    it("answers a commit with the event and the track before and after", () =>
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
        expect(await store.commit(MAIN, "k1", adds("k1", "first"))).toStrictEqual({
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

    it("hands the judge the track as it is", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "k1", adds("k1", "first"));
        const now = await store.read(MAIN);
        const seen: unknown[] = [];
        await store.commit(MAIN, "k2", (track) => {
          seen.push(track);
          return changesNothing("k2")(track);
        });
        expect(seen).toStrictEqual([now]);
      }));

    it("lets a judge look at the store", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "k1", changesNothing("k1"));
        const seen: Awaitable<unknown>[] = [];
        await store.commit(MAIN, "k2", (track) => {
          seen.push(store.read(OTHER), store.events(OTHER));
          return changesNothing("k2")(track);
        });
        expect(await Promise.all(seen)).toStrictEqual([emptyTrack(OTHER), []]);
      }));

    it("numbers the events of each track without gaps", () =>
      using(async ({ store }) => {
        for (let n = 1; n <= 7; n++) {
          await store.commit(MAIN, `a${n}`, adds(`a${n}`, `todo ${n}`));
          await store.commit(OTHER, `b${n}`, changesNothing(`b${n}`));
        }
        const numbers = [1, 2, 3, 4, 5, 6, 7];
        expect((await store.events(MAIN)).map((event) => event.seq)).toStrictEqual(numbers);
        expect((await store.events(OTHER)).map((event) => event.seq)).toStrictEqual(numbers);
      }));

    it("gives the events after a number", () =>
      using(async ({ store }) => {
        for (const key of ["a", "b", "c"]) await store.commit(MAIN, key, changesNothing(key));
        const keys = async (after?: number) =>
          (await store.events(MAIN, after)).map((event) => event.key);
        expect(await keys()).toStrictEqual(["a", "b", "c"]);
        expect(await keys(0)).toStrictEqual(["a", "b", "c"]);
        expect(await keys(2)).toStrictEqual(["c"]);
        expect(await keys(3)).toStrictEqual([]);
        expect(await keys(99)).toStrictEqual([]);
      }));

    it("answers a known key as a duplicate and does not judge again", () =>
      using(async ({ store }) => {
        const first = await store.commit(MAIN, "k", adds("k", "once"));
        await store.commit(MAIN, "other", adds("other", "twice"));
        const now = await store.read(MAIN);
        expect(await store.commit(MAIN, "k", neverAsked())).toStrictEqual({
          ok: true,
          duplicate: true,
          event: first.event,
          rejected: [],
          before: now,
          after: now,
        } as Outcome);
        expect(await store.events(MAIN)).toHaveLength(2);
      }));

    it("remembers in a duplicate what was refused in part", () =>
      using(async ({ store }) => {
        const first = await store.commit(MAIN, "k", refusesPart("k"));
        const now = await store.read(MAIN);
        const answer = { ok: false, event: first.event, rejected: [REFUSAL] };
        expect(first).toStrictEqual({
          ...answer,
          duplicate: false,
          before: emptyTrack(MAIN),
          after: now,
        });
        expect(await store.commit(MAIN, "k", neverAsked())).toStrictEqual({
          ...answer,
          duplicate: true,
          before: now,
          after: now,
        });
      }));

    it("takes the same key in two tracks as two keys", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "k", changesNothing("k"));
        expect((await store.commit(OTHER, "k", changesNothing("k"))).duplicate).toBe(false);
      }));

    it("changes nothing when the judge refuses, and judges the key again", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "k1", adds("k1", "first"));
        const now = await store.read(MAIN);
        const told: Recorded[] = [];
        const stop = store.watch((recorded) => told.push(recorded));
        expect(await store.commit(MAIN, "k2", refuses())).toStrictEqual({
          ok: false,
          duplicate: false,
          rejected: [REFUSAL],
          before: now,
          after: now,
        });
        expect(await store.read(MAIN)).toStrictEqual(now);
        expect(await store.events(MAIN)).toHaveLength(1);
        expect((await store.commit(MAIN, "k2", changesNothing("k2"))).ok).toBe(true);
        await until(() => told.length > 0);
        stop();
        expect(told.map((recorded) => recorded.event.key)).toStrictEqual(["k2"]);
      }));

    it("keeps nothing of a refused first write", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "k", refuses());
        expect(await store.tracks()).toStrictEqual([]);
        expect(await store.read(MAIN)).toStrictEqual(emptyTrack(MAIN));
      }));

    it("survives a judge that throws", () =>
      using(async ({ store }) => {
        await expect((async () => store.commit(MAIN, "k", neverAsked()))()).rejects.toThrow(
          "must not be",
        );
        expect((await store.commit(MAIN, "k", adds("k", "after"))).ok).toBe(true);
        expect((await store.read(MAIN)).version).toBe(1);
      }));

    it.each([
      ["a wrong number", 2, "k"],
      ["a wrong key", 1, "other"],
    ])("refuses an event with %s", (_, seq, key) =>
      using(async ({ store }) => {
        const judge = () =>
          ({
            ok: true,
            event: { seq, key, at: START, by: "agent", via: "suite", changes: [] },
          }) as const;
        await expect((async () => store.commit(MAIN, "k", judge))()).rejects.toMatchObject({
          name: "WaymarkError",
          code: "bad_event",
        });
        expect(await store.events(MAIN)).toStrictEqual([]);
      }),
    );

    it("lets 64 commits made at once take effect in the order of the calls", () =>
      using(async ({ store }) => {
        const keys = Array.from({ length: 64 }, (_, n) => `k${n}`);
        const outcomes = await Promise.all(
          keys.map((key) => store.commit(MAIN, key, adds(key, `todo ${key}`))),
        );
        expect(outcomes.map((outcome) => outcome.event?.seq)).toStrictEqual(
          keys.map((_, n) => n + 1),
        );
        expect((await store.events(MAIN)).map((event) => event.key)).toStrictEqual(keys);
        expect((await store.read(MAIN)).todos).toHaveLength(64);
      }));

    it("tells a watcher of every event once and in order", () =>
      using(async ({ store }) => {
        await store.commit(MAIN, "before", changesNothing("before"));
        const told: Recorded[] = [];
        const stop = store.watch((recorded) => told.push(recorded));
        for (let n = 0; n < 10; n++) {
          await store.commit(MAIN, `a${n}`, adds(`a${n}`, `todo ${n}`));
          await store.commit(OTHER, `b${n}`, changesNothing(`b${n}`));
        }
        await until(() => told.length >= 20);
        stop();
        await store.commit(MAIN, "late", changesNothing("late"));
        await new Promise((resolve) => setTimeout(resolve, 50));
        const of = (id: TrackId) =>
          told.filter(({ track }) => track.session === id.session).map(({ event }) => event);
        expect(of(MAIN)).toStrictEqual((await store.events(MAIN)).slice(1, -1));
        expect(of(OTHER)).toStrictEqual(await store.events(OTHER));
        expect(told.map(({ track }) => track).slice(0, 2)).toStrictEqual([MAIN, OTHER]);
        const positions = told.map(({ position }) => position);
        expect(positions).toStrictEqual([...new Set(positions)].toSorted((a, b) => a - b));
      }));

    it("lets a watcher commit, stop itself and fail without harm", () =>
      using(async ({ store }) => {
        const told: string[] = [];
        const answers: Awaitable<Outcome>[] = [];
        const stopOne = store.watch(({ event }) => {
          stopOne();
          answers.push(store.commit(MAIN, `re-${event.key}`, changesNothing(`re-${event.key}`)));
          throw new Error("a watcher of the suite fails on purpose");
        });
        const stop = store.watch(({ event }) => told.push(event.key));
        await store.commit(MAIN, "k", changesNothing("k"));
        await until(() => told.length >= 2);
        stop();
        expect(told).toStrictEqual(["k", "re-k"]);
        expect((await answers[0])?.ok).toBe(true);
      }));

    it("lists tracks by session, directory and number, the last written first", () =>
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
            const decision = adds(key, "todo", cwd)(track);
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

    it("keeps every text as it was written", () =>
      using(async (opened) => {
        for (const [n, text] of TEXTS.entries())
          await opened.store.commit(MAIN, `k${n}`, adds(`k${n}`, text));
        const store = capabilities.lasting ? await reopened(opened) : opened.store;
        expect((await store.read(MAIN)).todos.map((todo) => todo.text)).toStrictEqual(TEXTS);
        expect(foldEvents(MAIN, await store.events(MAIN))).toStrictEqual(await store.read(MAIN));
      }));

    it("keeps every key apart", () =>
      using(async (opened) => {
        const keys = [...TEXTS, "\ud800", "\ud801", "Case", "case", "e\u0301", "\u00e9"];
        for (const key of keys)
          expect((await opened.store.commit(MAIN, key, changesNothing(key))).duplicate).toBe(false);
        const store = capabilities.lasting ? await reopened(opened) : opened.store;
        expect((await store.events(MAIN)).map((event) => event.key)).toStrictEqual(keys);
        for (const key of keys)
          expect((await store.commit(MAIN, key, neverAsked())).event?.key).toBe(key);
      }));

    it("keeps tracks with harmless ids apart", () =>
      using(async ({ store }) => {
        for (const session of HARMLESS_IDS)
          for (const agent of HARMLESS_IDS)
            await store.commit({ session, agent }, "k", adds("k", `${session} ${agent}`));
        for (const session of HARMLESS_IDS)
          for (const agent of HARMLESS_IDS) {
            const { todos, version } = await store.read({ session, agent });
            expect([version, todos.map((todo) => todo.text)]).toStrictEqual([
              1,
              [`${session} ${agent}`],
            ]);
          }
        expect(await store.tracks()).toHaveLength(HARMLESS_IDS.length ** 2);
      }));

    itAny("keeps tracks with hostile ids apart", () =>
      using(async ({ store }) => {
        const ids = HOSTILE_IDS.flatMap((id) => [
          { session: id, agent: "main" },
          { session: "s", agent: id },
        ]);
        for (const id of ids) await store.commit(id, "k", adds("k", JSON.stringify(id)));
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

    itFile("refuses hostile ids everywhere", () =>
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
              (async () => store.commit(id, "k", changesNothing("k")))(),
            ).rejects.toMatchObject(badId);
          }
        expect(await store.tracks()).toStrictEqual([]);
      }),
    );

    it("refuses to work once it is closed", () =>
      using(async ({ store }) => {
        await store.close();
        const closed = { name: "WaymarkError", code: "store_closed" };
        await expect((async () => store.read(MAIN))()).rejects.toMatchObject(closed);
        await expect(
          (async () => store.commit(MAIN, "k", changesNothing("k")))(),
        ).rejects.toMatchObject(closed);
      }));

    itLasting("has everything after it was opened again", () =>
      using(async (opened) => {
        const { store } = opened;
        for (let n = 0; n < 5; n++) await store.commit(MAIN, `k${n}`, adds(`k${n}`, `todo ${n}`));
        await store.commit(OTHER, "k", adds("k", "elsewhere"));
        const all = async (from: Store) => ({
          read: await from.read(MAIN),
          events: await from.events(MAIN),
          tracks: await from.tracks(),
        });
        const before = await all(store);
        const again = await reopened(opened);
        expect(await all(again)).toStrictEqual(before);
        const duplicate = await again.commit(MAIN, "k0", neverAsked());
        expect([duplicate.duplicate, duplicate.event]).toStrictEqual([true, before.events[0]]);
        expect((await again.commit(MAIN, "k5", adds("k5", "more"))).event?.seq).toBe(6);
      }),
    );

    itShared("works beside another store object on the same place", () =>
      using(async (opened) => {
        const { store } = opened;
        const other = await beside(opened);
        const told: string[] = [];
        const stop = other.watch(({ event }) => told.push(event.key));
        const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);
        const outcomes = await Promise.all(
          keys.map((key, n) => (n % 2 ? store : other).commit(MAIN, key, adds(key, key))),
        );
        expect(outcomes.map((outcome) => outcome.ok)).toStrictEqual(keys.map(() => true));
        await until(() => told.length >= keys.length);
        stop();
        const events = await store.events(MAIN);
        expect(await other.events(MAIN)).toStrictEqual(events);
        expect(events.map((event) => event.key).toSorted()).toStrictEqual(keys.toSorted());
        expect(told).toStrictEqual(events.map((event) => event.key));
        expect(await store.read(MAIN)).toStrictEqual(foldEvents(MAIN, events));
        expect(await other.read(MAIN)).toStrictEqual(foldEvents(MAIN, events));
        expect((await other.commit(MAIN, "k1", neverAsked())).duplicate).toBe(true);
      }),
    );
  });
}
