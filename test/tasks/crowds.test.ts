import pg from "pg";
import { describe, expect, it } from "vitest";
import type { TaskDraft, TaskSender } from "../../src/tasks/model.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { FULL } from "../full.ts";
import { pause, until } from "../until.ts";
import { faultsOf } from "./checker.ts";
import { answers, ENGINES, type Engine, startEngines, team } from "./engines.ts";
import type { Call } from "./worker.ts";

const SENDER: TaskSender = { by: "user", via: "test" };
const SEED = Number(process.env.WAYMARK_SEED ?? Date.now() % 100_000);

/** Engine details differ; the rules about owners are the same for all. */
const FOR_RULES: readonly Engine[] = FULL ? ENGINES : ["sqlite"];

const { place: newPlace, opened, workers, check } = startEngines("crowds");

async function add(store: TaskStore, tasks: readonly TaskDraft[]): Promise<void> {
  const answer = await store.apply({ op: "add", tasks }, SENDER);
  expect(answer.ok).toBe(true);
}

const many = (count: number, more: Partial<TaskDraft> = {}): TaskDraft[] =>
  Array.from({ length: count }, (_, n) => ({ subject: `task ${n}`, ...more }));

/**
 * Many processes add dependencies, claim, finish and reopen tasks; the history must be consistent.
 */
async function tangleUp(
  engine: Engine,
  place: string,
  processes: number,
  count: number,
  tasks: number,
) {
  const store = await opened(engine, place);
  await add(store, many(tasks));
  const crew = await workers(team(place, processes));
  const calls = (
    await Promise.all(crew.map((each, n) => answers(each, `tangle ${SEED + n} ${count} ${tasks}`)))
  ).flat();
  const events = await store.events();
  expect({ seed: SEED, faults: faultsOf(events, calls) }).toStrictEqual({ seed: SEED, faults: [] });
  const of = (op: Call["op"], code?: string) =>
    calls.filter((call) => call.op === op && call.code === code).length;
  // The run is meaningful: cycles were attempted, and claims were made in between.
  expect(of("edit", "cycle")).toBeGreaterThan(0);
  expect(of("claim")).toBeGreaterThan(0);
  const list = await store.list();
  const done = new Set(list.filter(({ status }) => status === "done").map(({ id }) => id));
  const free = list.filter(
    ({ status, blockedBy }) => status === "open" && blockedBy.every((id) => done.has(id)),
  );
  expect((await store.ready()).map(({ id }) => id).toSorted()).toStrictEqual(
    free.map(({ id }) => id).toSorted(),
  );
  await check(engine, place);
}

describe.each(ENGINES)("on %s", { timeout: 600_000 }, (engine) => {
  it("claims no blocked task and creates no cycle while blockers change", {
    tags: ["changing-blockers"],
  }, async () => {
    const [processes, count, tasks] = FULL ? [16, 300, 60] : [4, 50, 12];
    await tangleUp(engine, await newPlace(engine), processes, count, tasks);
  });

  it("refuses one of two concurrent edits that together close a cycle", {
    tags: ["changing-blockers"],
  }, async () => {
    const rounds = FULL ? 500 : 20;
    const place = await newPlace(engine);
    const [ann, bob] = [await opened(engine, place), await opened(engine, place)];
    for (let round = 0; round < rounds; round++) {
      const added = await ann.apply({ op: "add", tasks: many(4) }, SENDER);
      if (!added.ok) throw new Error("not added");
      const ids = added.tasks.map(({ id }) => id);
      const tie = (store: TaskStore, from: number, to: number) =>
        store.apply(
          { op: "edit", id: ids[from] ?? "", set: { addBlockedBy: [ids[to] ?? ""] } },
          SENDER,
        );
      await tie(ann, 0, 1);
      await tie(ann, 2, 3);
      const tied = await Promise.all([tie(ann, 1, 2), tie(bob, 3, 0)]);
      expect(tied.map((each) => (each.ok ? "tied" : each.refused.code)).toSorted()).toStrictEqual([
        "cycle",
        "tied",
      ]);
    }
  });

  it("leaves valid leases alone, however often others look for work", {
    tags: ["active-task-offered"],
  }, async () => {
    const [held, processes, ms] = FULL ? [5_000, 8, 30_000] : [300, 2, 400];
    const place = await newPlace(engine);
    const store = await opened(engine, place);
    await add(store, many(held));
    const claim = { op: "claim", owner: "busy", count: held, lease: 600_000 } as const;
    expect(await store.apply(claim, SENDER)).toMatchObject({ ok: true });
    const before = { list: await store.list(), events: await store.events() };
    const crew = await workers(team(place, processes));
    const calls = (await Promise.all(crew.map((each) => answers(each, `look ${ms}`)))).flat();
    expect(calls.length).toBeGreaterThan(processes * 2);
    expect(new Set(calls.map(({ code }) => code))).toStrictEqual(new Set(["none_ready"]));
    expect({ list: await store.list(), events: await store.events() }).toStrictEqual(before);
  });

  it("keeps ids of tasks that many processes cancel and reopen, and reuses none", {
    tags: ["delete-create-race"],
  }, async () => {
    const [processes, count] = FULL ? [16, 400] : [4, 40];
    const place = await newPlace(engine);
    const store = await opened(engine, place);
    const crew = await workers(team(place, processes));
    const calls = (
      await Promise.all(crew.map((each, n) => answers(each, `churn ${SEED + n} ${count}`)))
    ).flat();
    const events = await store.events();
    expect({ seed: SEED, faults: faultsOf(events, calls) }).toStrictEqual({
      seed: SEED,
      faults: [],
    });
    const made = events.filter(({ type }) => type === "added");
    const list = await store.list();
    expect(list.map(({ id }) => id)).toStrictEqual(
      made.map(({ task }) => task).toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))),
    );
    const refs = list.flatMap(({ ref }) => ref ?? []);
    expect(refs.length).toBeGreaterThan(0);
    expect(new Set(refs).size).toBe(refs.length);
    for (const op of ["add", "cancel", "reopen"] as const)
      expect(calls.some((call) => call.op === op && call.seq !== undefined)).toBe(true);
    await check(engine, place);
  });
});

describe.each(FOR_RULES)("by the rules, on %s", { timeout: 600_000 }, (engine) => {
  it("keeps the claim of an owner that renews late, but within its lease", {
    tags: ["late-renewal"],
  }, async () => {
    const [processes, rounds, lease] = FULL ? [8, 30, 1_000] : [3, 1, 3_000];
    const place = await newPlace(engine);
    const store = await opened(engine, place);
    await add(store, many(processes * rounds));
    const crew = await workers(team(place, processes));
    let over = false;
    // A rival tries to claim everything.
    const rival = (async () => {
      while (!over) {
        for (const { id } of await store.list({ status: "claimed" }))
          await store.apply({ op: "claim", id, owner: "rival" }, SENDER);
        await pause(5, "a rival that tries again and again");
      }
    })();
    const holds: Call[][] = [];
    await Promise.all(
      crew.map(async (holder) => {
        for (let n = 0; n < rounds; n++)
          holds.push(await answers(holder, `hold ${lease} ${Math.random() * 0.8}`));
      }),
    );
    over = true;
    await rival;
    const inTime = holds.filter((calls) =>
      calls.slice(1).every(({ to }, n) => (to - (calls[n]?.from ?? 0)) / 1_000 < lease),
    );
    expect(inTime.length).toBeGreaterThan(0);
    for (const calls of inTime)
      expect(calls.map(({ op, code }) => [op, code])).toStrictEqual([
        ["claim", undefined],
        ["renew", undefined],
        ["finish", undefined],
      ]);
    expect(faultsOf(await store.events(), holds.flat())).toStrictEqual([]);
  });

  it("gives each task once to three agents with the same name and process id", {
    tags: ["duplicate-agent-name"],
  }, async () => {
    const count = FULL ? 1_000 : 40;
    const place = await newPlace(engine);
    const store = await opened(engine, place);
    await add(store, many(count));
    const crew = await workers(
      Array.from({ length: 3 }, () => ({ name: "Writer", store: place, pid: 4_242 })),
    );
    const calls = (await Promise.all(crew.map((each) => answers(each, "work")))).flat();
    const claimed = calls.flatMap(({ op, id }) => (op === "claim" && id !== undefined ? [id] : []));
    expect(claimed).toHaveLength(count);
    expect(new Set(claimed).size).toBe(count);
    expect(calls.filter(({ op, code }) => op === "finish" && code)).toStrictEqual([]);
    expect(faultsOf(await store.events(), calls)).toStrictEqual([]);
  });

  it("fails a task that kills its owners, with the reason, and finishes the others", {
    tags: ["poison-task"],
  }, async () => {
    const attempts = 2;
    const place = await newPlace(engine);
    const store = await opened(engine, place);
    const poison: TaskDraft = { subject: "poison", priority: 0, maxAttempts: attempts };
    await add(store, [poison, ...many(2)]);
    let deaths = 0;
    for (let n = 0; n < 4 * attempts; n++) {
      const [worker] = await workers([{ name: `w${n}`, store: place, poison: "poison" }]);
      // Its claims have a short lease.
      const op = { op: "claim", owner: `w${n}`, lease: 1_000 };
      const answered = worker?.ask(`apply ${JSON.stringify(op)}`);
      const call: Call | undefined = await answered?.then(JSON.parse, () => undefined);
      if (!call) deaths += 1;
      const held = [{ id: call?.id, epoch: call?.epoch }];
      const finish = { op: "finish", owner: `w${n}`, held };
      if (call?.id) await worker?.ask(`apply ${JSON.stringify(finish)}`);
      worker?.kill();
      if (!call)
        await until(
          async () => (await store.list({ status: "claimed" })).length === 0,
          "the end of the lease of the dead",
        );
      if (call?.code === "none_ready") break;
    }
    expect(deaths).toBe(attempts);
    expect(await store.get("t1")).toMatchObject({
      status: "failed",
      attempts,
      reason: expect.stringMatching(/^w\d+ was inactive in attempt 2 of 2\.$/),
    });
    expect(await store.counts()).toMatchObject({ done: 2, failed: 1, open: 0, claimed: 0 });
  });
});

describe.each(["repeatable read", "serializable"])(
  "a server whose default is %s",
  {
    timeout: 600_000,
  },
  (level) => {
    async function placeOfLevel(): Promise<string> {
      const place = await newPlace("postgres");
      const client = new pg.Client({ connectionString: place });
      await client.connect();
      const name = new URL(place).pathname.slice(1);
      await client.query(`ALTER DATABASE "${name}" SET default_transaction_isolation = '${level}'`);
      await client.end();
      return place;
    }

    it("gives the same answers", { tags: ["isolation-level"] }, async () => {
      const [processes, count, tasks] = FULL ? [8, 150, 40] : [4, 40, 12];
      await tangleUp("postgres", await placeOfLevel(), processes, count, tasks);
    });

    it("does not block a task by a blocker that finishes concurrently", {
      tags: ["isolation-level"],
    }, async () => {
      const place = await placeOfLevel();
      const [ann, bob] = [await opened("postgres", place), await opened("postgres", place)];
      for (let round = 0; round < (FULL ? 500 : 30); round++) {
        await add(ann, many(2));
        const [blocker, waiting] = await ann.list({ status: "open" });
        const [id, blockedBy] = [waiting?.id ?? "", blocker?.id ?? ""];
        const claimed = await ann.apply({ op: "claim", id: blockedBy, owner: "ann" }, SENDER);
        const epoch = (claimed.ok && claimed.tasks[0]?.epoch) || 0;
        const tying = bob.apply({ op: "edit", id, set: { addBlockedBy: [blockedBy] } }, SENDER);
        // Hits every moment of the other change.
        await pause(round % 5, "at another moment each time");
        const finish = { op: "finish", owner: "ann", held: [{ id: blockedBy, epoch }] } as const;
        const finished = await ann.apply(finish, SENDER);
        expect([finished.ok, (await tying).ok]).toStrictEqual([true, true]);
        expect((await bob.ready()).map((task) => task.id)).toStrictEqual([id]);
        expect(await bob.apply({ op: "cancel", id }, SENDER)).toMatchObject({ ok: true });
      }
    });
  },
);
