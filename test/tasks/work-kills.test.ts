import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { TaskSender } from "../../src/tasks/model.ts";
import { bundleWorker, removeBundle, startWorker, type Worker } from "../concurrency/processes.ts";
import { chanceFrom } from "../faults/power-cut.ts";
import { FULL } from "../full.ts";
import { pause } from "../until.ts";
import { ENGINES, startEngines } from "./engines.ts";
import type { WorkOrders } from "./work-worker.ts";

const SENDER: TaskSender = { by: "user", via: "test" };
const { place: newPlace, opened, check } = startEngines("workkills");

const [COUNT, PROCESSES, KILLS] = FULL ? [10_000, 8, 200] : [120, 2, 3];
const PAGE = 2_000;

let script = "";
beforeAll(async () => {
  script = await bundleWorker("test/tasks/work-worker.ts");
}, 60_000);
afterAll(() => removeBundle(script), 60_000);

describe.each(ENGINES)("on %s", { timeout: 3_600_000 }, (engine) => {
  it("loses no task and finishes none twice while workers are killed", {
    tags: ["double-claim"],
  }, async () => {
    const place = await newPlace(engine);
    const store = await opened(engine, place);
    // Failed attempts and killed workers never use up the attempts.
    const tasks = Array.from({ length: COUNT }, (_, n) => ({
      subject: `task ${n}`,
      name: `n${n}`,
      maxAttempts: 1_000,
      ...(n % 7 === 6 && { blockedBy: [`n${n - 1}`] }),
    }));
    expect((await store.apply({ op: "add", tasks }, SENDER)).ok).toBe(true);
    const chance = chanceFrom(7);
    let started = 0;
    const start = (): Worker => {
      const name = `w${started++}`;
      const orders: WorkOrders = { name, store: place, concurrency: 4, lease: 400, takes: 40 };
      const worker = startWorker(script, orders);
      // It may be killed before it is ready.
      worker.ready.catch(() => undefined);
      onTestFinished(() => worker.kill());
      return worker;
    };
    const crew = Array.from({ length: PROCESSES }, start);
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(60 + chance.below(200), "the time between two kills");
      const victim = chance.below(PROCESSES);
      crew[victim]?.kill();
      crew[victim] = start();
    }
    await Promise.all(crew.map(({ ended }) => ended));
    const last = start();
    await last.ended;
    expect(await store.counts()).toMatchObject({ done: COUNT, open: 0, claimed: 0, failed: 0 });
    const finished = new Map<string, number>();
    for (let after = 0; ; ) {
      const events = await store.events({ after, limit: PAGE });
      for (const { type, task } of events)
        if (type === "done") finished.set(task, (finished.get(task) ?? 0) + 1);
      after = events.at(-1)?.seq ?? after;
      if (events.length < PAGE) break;
    }
    expect(finished.size).toBe(COUNT);
    expect([...finished].filter(([, count]) => count !== 1)).toStrictEqual([]);
    await check(engine, place);
  });
});
