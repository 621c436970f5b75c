import { describe, expect, it } from "vitest";
import type { TaskSender } from "../../src/tasks/model.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import type { Worker } from "../concurrency/processes.ts";
import { FULL } from "../full.ts";
import { pause, until } from "../until.ts";
import { faultsOf } from "./checker.ts";
import { answers, ENGINES, startEngines, team } from "./engines.ts";

const SENDER: TaskSender = { by: "user", via: "test" };
const DAY = 86_400_000;

const { place: newPlace, opened, workers, check } = startEngines("races");

async function add(store: TaskStore, count: number, more: object = {}): Promise<void> {
  const tasks = Array.from({ length: count }, (_, n) => ({ subject: `task ${n}`, ...more }));
  await store.apply({ op: "add", tasks }, SENDER);
}

// 64 concurrent claims are 8 processes with eight stores each, except at full size: test machines
// have few cores, and a process that is still starting does not race.
const RACES = FULL
  ? [
      { racers: 2, processes: 2, rounds: 1_000 },
      { racers: 8, processes: 8, rounds: 1_000 },
      { racers: 64, processes: 64, rounds: 1_000 },
    ]
  : [
      { racers: 2, processes: 2, rounds: 8 },
      { racers: 8, processes: 8, rounds: 4 },
      { racers: 64, processes: 8, rounds: 2 },
    ];

describe.each(ENGINES)("on %s", { timeout: 3_600_000 }, (engine) => {
  it.each(RACES)(
    "gives a task to one of $racers concurrent claims, in each of $rounds rounds",
    { tags: ["claim-race"] },
    async ({ racers, processes, rounds }) => {
      const place = await newPlace(engine);
      const store = await opened(engine, place);
      await add(store, rounds);
      const crew = await workers(team(place, processes, racers / processes));
      for (let round = 1; round <= rounds; round++) {
        const calls = (
          await Promise.all(crew.map((each) => answers(each, `claim t${round}`)))
        ).flat();
        expect(calls).toHaveLength(racers);
        expect(calls.filter(({ id }) => id !== undefined)).toHaveLength(1);
        const task = await store.get(`t${round}`);
        const lost = calls.filter(({ code }) => code !== undefined);
        expect(new Set(lost.map(({ code, holder }) => `${code} by ${holder}`))).toStrictEqual(
          new Set([`held by ${task?.owner}`]),
        );
        expect(task?.epoch).toBe(1);
      }
      await check(engine, place);
    },
  );

  it("claims and finishes each of many tasks once, with a consistent history", {
    tags: ["double-claim"],
  }, async () => {
    const [processes, count] = FULL ? [16, 10_000] : [8, 160];
    const place = await newPlace(engine);
    const store = await opened(engine, place);
    // Every fifth task is blocked by the one before it.
    const tasks = Array.from({ length: count }, (_, n) => ({
      subject: `task ${n}`,
      name: `n${n}`,
      ...(n % 5 === 4 && { blockedBy: [`n${n - 1}`] }),
    }));
    await store.apply({ op: "add", tasks }, SENDER);
    const crew = await workers(team(place, processes));
    const calls = (await Promise.all(crew.map((each) => answers(each, "work")))).flat();
    const events = await store.events();
    expect(faultsOf(events, calls)).toStrictEqual([]);
    // A worker that found no ready task may have left before the last blockers were done.
    const rest = await store.counts();
    expect(rest.done + rest.open).toBe(count);
    const claims = calls.filter(({ op, id }) => op === "claim" && id !== undefined);
    expect(new Set(claims.map(({ id }) => id)).size).toBe(rest.done);
    expect(claims).toHaveLength(rest.done);
    expect(calls.filter(({ op, code }) => op === "finish" && code !== undefined)).toStrictEqual([]);
    expect(rest.done).toBeGreaterThan(count * 0.75);
    await check(engine, place);
  });

  it("frees the tasks of a killed owner within its lease and loses no acknowledged change", {
    tags: ["dead-owner"],
  }, async () => {
    const kills = FULL ? 500 : 6;
    const lease = 1_000;
    const place = await newPlace(engine);
    const store = await opened(engine, place);
    await add(store, kills);
    const lanes = FULL ? 10 : 3;
    const freed: string[] = [];
    await Promise.all(
      Array.from({ length: lanes }, async (_, lane) => {
        for (let n = lane; n < kills; n += lanes) {
          const [holder] = await workers([{ name: `h${n}`, store: place }]);
          if (!holder) throw new Error("no holder");
          // By id: any ready task could be one that another owner left behind.
          const own = { op: "claim", id: `t${n + 1}`, owner: `h${n}`, lease };
          const [claimed] = await answers(holder, `apply ${JSON.stringify(own)}`);
          await pause(Math.random() * 200, "killed at any moment");
          holder.kill();
          await holder.ended;
          const id = claimed?.id ?? "";
          expect(await store.events({ task: id })).toContainEqual(
            expect.objectContaining({ seq: claimed?.seq, type: "claimed", actor: `h${n}` }),
          );
          const refusals: unknown[] = [];
          const taken = await until(
            async () => {
              const answer = await store.apply({ op: "claim", id, owner: "taker" }, SENDER);
              if (!answer.ok) refusals.push(answer.refused);
              return answer.ok && answer.tasks;
            },
            `${id} free after its lease`,
            { timeout: lease + 30_000, interval: 50 },
          );
          expect(taken[0]).toMatchObject({ owner: "taker", epoch: 2, attempts: 2 });
          for (const refused of refusals)
            expect(refused).toMatchObject({ code: "held", holder: `h${n}` });
          freed.push(id);
        }
      }),
    );
    expect(freed).toHaveLength(kills);
    expect(await store.counts()).toMatchObject({ claimed: kills, open: 0 });
    await check(engine, place);
  });

  it("refuses a paused owner by its epoch and names the new owner", {
    tags: ["stale-claim"],
  }, async () => {
    const rounds = FULL ? 100 : 2;
    const place = await newPlace(engine);
    const store = await opened(engine, place);
    await add(store, rounds);
    const [holder] = await workers([{ name: "ann", store: place }]);
    if (!holder) throw new Error("no holder");
    for (let round = 1; round <= rounds; round++) {
      const id = `t${round}`;
      const apply = (op: object) => answers(holder, `apply ${JSON.stringify(op)}`);
      const [claimed] = await apply({ op: "claim", id, owner: "ann", lease: 300 });
      expect(claimed).toMatchObject({ id, epoch: 1 });
      holder.signal("SIGSTOP");
      const taken = await until(async () => {
        const answer = await store.apply({ op: "claim", id, owner: "bob", lease: 60_000 }, SENDER);
        return answer.ok && answer;
      }, `${id} free after its lease`);
      expect(taken).toMatchObject({ ok: true, tasks: [{ owner: "bob", epoch: 2 }] });
      holder.signal("SIGCONT");
      const [late] = await apply({ op: "finish", owner: "ann", held: [{ id, epoch: 1 }] });
      expect(late).toMatchObject({ code: "stale_epoch", holder: "bob" });
      expect(await store.get(id)).toMatchObject({ status: "claimed", owner: "bob", epoch: 2 });
    }
  });

  it("keeps leases correct while clocks differ by a day", { tags: ["clock-skew"] }, async () => {
    const place = await newPlace(engine);
    const store = await opened(engine, place);
    await add(store, 4);
    const [ahead, behind] = await workers([
      { name: "ahead", store: place, clock: DAY },
      { name: "behind", store: place, clock: -DAY },
    ]);
    if (!ahead || !behind) throw new Error("no workers");
    const claim = async (worker: Worker, id: string, owner: string, lease = 600_000) =>
      (await answers(worker, `apply ${JSON.stringify({ op: "claim", id, owner, lease })}`))[0];
    expect(await claim(ahead, "t1", "ahead")).toMatchObject({ id: "t1", epoch: 1 });
    expect(await claim(behind, "t2", "behind")).toMatchObject({ id: "t2", epoch: 1 });
    expect(await claim(behind, "t1", "behind")).toMatchObject({ code: "held", holder: "ahead" });
    expect(await claim(ahead, "t2", "ahead")).toMatchObject({ code: "held", holder: "behind" });
    // Short ones end on both clocks.
    await claim(ahead, "t3", "ahead", 300);
    await claim(behind, "t4", "behind", 300);
    await expect.poll(() => claim(behind, "t3", "behind")).toMatchObject({ id: "t3", epoch: 2 });
    await expect.poll(() => claim(ahead, "t4", "ahead")).toMatchObject({ id: "t4", epoch: 2 });
    expect(Math.abs((await store.now()) - Date.now())).toBeLessThan(DAY / 2);
  });
});
