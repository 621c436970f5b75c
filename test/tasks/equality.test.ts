import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { memoryTaskStore } from "../../src/tasks/memory.ts";
import type { Priority, QueueChange, Task, TaskOp, TaskSender } from "../../src/tasks/model.ts";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { foldTaskEvents } from "../../src/tasks/rules/fold.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { sized } from "../full.ts";
import { NO_POSTGRES, serverForFile } from "../postgres/server.ts";
import { makeTemporaryDirectory } from "../stores/temporary-directory.ts";
import { pause } from "../until.ts";

const RUNS = sized(20, 3_000);

const server = serverForFile({ fsync: "off" });
let onServer: TaskStore;
let client: pg.Client;
beforeAll(async () => {
  if (NO_POSTGRES !== "") return;
  onServer = await postgresTaskStore(server.url);
  client = new pg.Client({ connectionString: server.url });
  await client.connect();
}, 60_000);
afterAll(async () => {
  await client?.end();
  await onServer?.close();
}, 60_000);

/** An operation of an owner on one of the tasks claimed so far, with the epoch of that claim. */
interface Follow {
  readonly follow: "finish" | "release" | "fail" | "renew";
  /** The claim, counted from the last. */
  readonly back: number;
  readonly key?: string;
}

type Step =
  | { readonly op: TaskOp; readonly key?: string }
  | Follow
  | { readonly observe: string }
  | { readonly queue: QueueChange };

const SHORT = 1;
const LONG = 3_600_000;
const FAR = 200_000_000_000_000;

const id = fc.integer({ min: 1, max: 7 }).map((number) => `t${number}`);
const owner = fc.constantFrom("ann", "bob");
const epoch = fc.integer({ min: 0, max: 4 });
const lease = fc.constantFrom(SHORT, LONG, LONG, LONG);
const word = fc.constantFrom("x", "y", 'it\'s "so" \\ 🧭');
const ids = fc.array(id, { maxLength: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

type Present<T> = { [F in keyof T]: Exclude<T[F], undefined> };

function without<T extends object>(given: T): Present<T> {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as Present<T>;
}

const draft = fc
  .record({
    subject: word,
    description: maybe(word),
    priority: maybe(fc.integer({ min: 0, max: 4 }) as fc.Arbitrary<Priority>),
    labels: maybe(fc.array(word, { maxLength: 2 })),
    parent: maybe(fc.oneof({ weight: 1, arbitrary: id }, fc.constantFrom("r1", "r2"))),
    blockedBy: maybe(fc.array(fc.oneof(id, fc.constantFrom("r1", "r2")), { maxLength: 3 })),
    maxAttempts: maybe(fc.integer({ min: 1, max: 2 })),
    notBefore: maybe(fc.constantFrom(1_000, 2_000, FAR)),
    deadline: maybe(fc.constantFrom(1_000, FAR)),
    metadata: maybe(fc.constantFrom({}, { a: 1, b: [null, { c: "\u0000" }] })),
    ref: maybe(fc.constantFrom("r1", "r2", "r3")),
    status: maybe(fc.constantFrom("open" as const, "done" as const, "cancelled" as const)),
    createdAt: maybe(fc.constantFrom(1_000, 2_000, 1_000 + LONG)),
  })
  .map(without);

const held = fc
  .uniqueArray(fc.record({ id, epoch: maybe(epoch) }).map(without), {
    minLength: 1,
    maxLength: 2,
    selector: (each) => each.id,
  })
  .map((list) => list as { id: string; epoch?: number }[]);

const op: fc.Arbitrary<TaskOp> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant("add" as const),
      tasks: fc.array(draft, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc
      .record({
        op: fc.constant("claim" as const),
        owner,
        id: maybe(id),
        label: maybe(word),
        lease,
        count: maybe(fc.integer({ min: 1, max: 2 })),
      })
      .map(without),
  },
  {
    weight: 5,
    arbitrary: fc
      .record({
        op: fc.constant("finish" as const),
        owner,
        held,
        evidence: maybe(fc.constant(["npm test"])),
      })
      .map(without),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ op: fc.constant("renew" as const), owner, held, lease: maybe(lease) })
      .map(without),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ op: fc.constant("release" as const), owner, held, reason: maybe(word) })
      .map(without),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        op: fc.constant("fail" as const),
        owner,
        held,
        reason: word,
        retryIn: maybe(fc.constantFrom(0, SHORT, LONG)),
      })
      .map(without),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("edit" as const),
      id,
      set: fc
        .record({
          subject: maybe(word),
          description: maybe(fc.constantFrom("new", null)),
          notBefore: maybe(fc.constantFrom(1_000, FAR, null)),
          deadline: maybe(fc.constantFrom(FAR, null)),
          addLabels: maybe(fc.array(word, { maxLength: 2 })),
          removeLabels: maybe(fc.array(word, { maxLength: 2 })),
          parent: maybe(fc.oneof(id, fc.constant(null))),
          addBlockedBy: maybe(ids),
          removeBlockedBy: maybe(ids),
          addBlocks: maybe(ids),
          metadata: maybe(fc.constantFrom({ a: null }, { z: true })),
        })
        .map(without),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ op: fc.constant("cancel" as const), id, reason: maybe(word) })
      .map(without),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("reopen" as const), id }) },
  {
    weight: 2,
    arbitrary: fc
      .record({
        op: fc.constant("assign" as const),
        id,
        owner,
        lease: maybe(lease),
        from: maybe(fc.record({ owner, epoch })),
      })
      .map(without),
  },
);

const key = maybe(fc.constantFrom("k1", "k2", "k3"));

const follow: fc.Arbitrary<Follow> = fc
  .record({
    follow: fc.constantFrom("finish", "finish", "finish", "release", "fail", "renew"),
    back: fc.constantFrom(0, 0, 0, 1, 2),
    key: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, key),
  })
  .map(without);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ op, key }).map(without) },
  { weight: 8, arbitrary: follow },
  { weight: 1, arbitrary: fc.record({ observe: owner }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>(
      { queue: { paused: { reason: "wait" } } },
      { queue: { paused: null } },
      { queue: { paused: null } },
      { queue: { aging: LONG } },
      { queue: { aging: null } },
    ),
  },
);

/** Tasks to work on; each may be blocked by earlier ones. */
const first: fc.Arbitrary<TaskOp> = fc
  .array(fc.record({ draft, before: fc.array(fc.nat(9), { maxLength: 2 }) }), {
    minLength: 3,
    maxLength: 6,
  })
  .map((made) => ({
    op: "add",
    tasks: made.map(({ draft: { parent, ref, status, ...rest }, before }, place) => ({
      ...rest,
      name: `n${place}`,
      blockedBy: before.filter((each) => each < place).map((each) => `n${each}`),
    })),
  }));

const TIMES = new Set([
  "at",
  "createdAt",
  "updatedAt",
  "claimedAt",
  "finishedAt",
  "leaseUntil",
  "notBefore",
]);

/** The parts that must be equal on all engines: everything except times. */
function timeless(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, each) => {
      if (typeof each === "number" && TIMES.has(key) && each > 10_000) return "a time";
      return typeof each === "string" ? each.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time") : each;
    }),
  );
}

/** Event numbers may have gaps; only their order counts. */
function renumbered(value: unknown, seqs: readonly number[]): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, each) => (key === "seq" ? seqs.indexOf(each) + 1 : each)),
  );
}

function followed({ follow: what, back }: Follow, claims: readonly Task[]): TaskOp {
  const { id, epoch, owner = "ann" } = claims.at(-1 - back) ?? { id: "t1", epoch: 1 };
  const held = [{ id, epoch }];
  if (what !== "fail") return { op: what, owner, held };
  return { op: what, owner, held, reason: "no", ...(back > 0 && { retryIn: SHORT }) };
}

async function play(store: TaskStore, steps: readonly Step[]) {
  const answers: unknown[] = [];
  const claims: Task[] = [];
  let short = false;
  for (const each of steps) {
    if ("observe" in each) answers.push(await store.renewByObservation(each.observe));
    else if ("queue" in each)
      answers.push(await store.setQueue(each.queue, { by: "user", via: "test" }));
    else {
      const { key } = each;
      const wanted = "follow" in each ? followed(each, claims) : each.op;
      const sender: TaskSender = { by: "agent", via: "test", ...(key !== undefined && { key }) };
      const answer = await store.apply(wanted, sender);
      answers.push(answer);
      if (answer.ok && wanted.op === "claim") claims.push(...answer.tasks);
      short ||= "lease" in wanted && wanted.lease === SHORT;
      short ||= wanted.op === "fail" && wanted.retryIn === SHORT;
    }
    // A lease that short expires before the next step on every clock.
    if (short) await pause(4, "longer than that lease");
    answers.push(await store.ready());
  }
  const events = await store.events();
  const seqs = events.map(({ seq }) => seq);
  const list = await store.list();
  return {
    raw: list,
    folded: [...foldTaskEvents(events).values()],
    shown: renumbered(
      timeless({
        answers,
        list,
        events,
        counts: await store.counts(),
        open: await store.list({ status: "open" }),
        failed: await store.list({ status: "failed" }),
        ann: await store.list({ owner: "ann" }),
        label: await store.list({ label: "x" }),
        blocked: await store.list({ blockedBy: "t1" }),
      }),
      seqs,
    ),
  };
}

const TRUNCATE =
  "TRUNCATE waymark.tasks, waymark.task_blockers, waymark.task_events RESTART IDENTITY; ALTER SEQUENCE waymark.task_numbers RESTART; UPDATE waymark.queue SET paused_at = NULL, paused_by = NULL, reason = NULL, aging = NULL";

test("gives the same answers and tasks for the same script on every engine", {
  tags: ["engine-difference"],
  timeout: 3_600_000,
}, async () => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(
      first,
      fc.array(step, { minLength: 1, maxLength: 14 }),
      async (begin, more) => {
        const steps: Step[] = [{ op: begin }, ...more];
        const dir = makeTemporaryDirectory();
        const file = await sqliteTaskStore(join(dir, "waymark.db"));
        try {
          await client.query(TRUNCATE);
          const inMemory = await play(memoryTaskStore(), steps);
          const inFile = await play(file, steps);
          expect(inFile.shown).toStrictEqual(inMemory.shown);
          const served = await play(onServer, steps);
          expect(served.shown).toStrictEqual(inMemory.shown);
          made += inMemory.folded.length;
          await expectCounted();
        } finally {
          await file.close();
          rmSync(dir, { recursive: true, force: true });
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(made).toBeGreaterThan(3 * RUNS);
});

/** The stored blocker counts equal a recount. */
async function expectCounted(): Promise<void> {
  const { rows } = await client.query(
    `SELECT num, blockers, (SELECT count(*)::integer FROM waymark.task_blockers b JOIN waymark.tasks o ON o.num = b.blocker
       WHERE b.task = t.num AND o.status <> 'done') AS counted FROM waymark.tasks t`,
  );
  expect(rows.filter(({ blockers, counted }) => blockers !== counted)).toStrictEqual([]);
}
