import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { readTaskExport } from "../../src/tasks/formats/jsonl.ts";
import { inOrder } from "../../src/tasks/formats/order.ts";
import { memoryTaskStore } from "../../src/tasks/memory.ts";
import type { Task, TaskDraft, TaskOp, TaskSender } from "../../src/tasks/model.ts";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { chanceFrom } from "../faults/power-cut.ts";
import { FULL } from "../full.ts";
import { serverIfPossible } from "../postgres/server.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import { ENGINES } from "./engines.ts";

const SEED = Number(process.env.WAYMARK_SEED ?? Date.now() % 100_000);
const SENDER: TaskSender = { by: "user", via: "test" };

const server = serverIfPossible({ fsync: "off" });
let databases = 0;

const OPEN: Readonly<Record<string, () => Promise<TaskStore>>> = {
  memory: async () => memoryTaskStore() as unknown as TaskStore,
  sqlite: () => sqliteTaskStore(join(temporaryDirectory(), "waymark.db")),
  postgres: async () => {
    databases += 1;
    return postgresTaskStore(await server.database(`hostile${databases}`), { connections: 2 });
  },
};

async function opened(engine: string): Promise<TaskStore> {
  const store = await OPEN[engine]?.();
  if (!store) throw new Error(`no ${engine}`);
  onTestFinished(() => store.close());
  return store;
}

const PARTS = [
  "'",
  '"',
  "`",
  ";",
  "--",
  "/*",
  "*/",
  "\\",
  "$1",
  "$$",
  ":x",
  "?",
  "%s",
  "' OR 1=1",
  "'); DROP TABLE tasks; --",
  "; DELETE FROM waymark.tasks;",
  "UNION SELECT version()",
  "\\'; COMMIT; --",
  "pg_sleep(9)",
  "E'\\x27'",
  "\u0000",
  "\ud800",
  "\udfff x",
  "\u001b]0;x",
  "ʼ",
  "＇",
  "\u202e",
  "null",
  "{}",
  "[]",
  "t1",
];

describe.each(ENGINES)("on %s", { timeout: 600_000 }, (engine) => {
  it("stores SQL as plain text, and refuses characters that a database cannot store", {
    tags: ["sql-injection"],
  }, async () => {
    const chance = chanceFrom(SEED);
    const store = await opened(engine);
    const bystander = { subject: "bystander", description: "untouched", labels: ["kept"] };
    await store.apply({ op: "add", tasks: [bystander] }, SENDER);
    const [before] = await store.list();
    let made = 0;
    let refused = 0;
    for (let n = 0; n < (FULL ? 600 : 60); n++) {
      const text = Array.from(
        { length: 1 + chance.below(3) },
        () => PARTS[chance.below(PARTS.length)],
      ).join(chance.below(2) ? " " : "");
      const where = { seed: SEED, n, text };
      const act = (op: TaskOp, more: Partial<TaskSender> = {}) =>
        store.apply(op, { ...SENDER, ...more });
      const draft: TaskDraft = {
        subject: text,
        description: text,
        activeText: text,
        labels: [text],
        ref: `${n}${text}`,
        author: text,
        metadata: { [text]: text },
      };
      const added = await act({ op: "add", tasks: [draft] }, { key: `k${n}${text}`, actor: text });
      if (!added.ok) {
        refused += 1;
        expect({ where, code: added.refused.code }).toStrictEqual({ where, code: "invalid_input" });
        continue;
      }
      made += 1;
      const [task] = added.tasks;
      const id = task?.id ?? "";
      expect({ where, task: await store.get(id) }).toStrictEqual({ where, task });
      expect(task).toMatchObject({
        metadata: { [text]: text },
        subject: text.trim().replace(/\s+/g, " "),
      });
      const label = task?.labels[0] ?? "";
      expect((await store.list({ label })).map((each) => each.id)).toContain(id);
      const claimed = await act({ op: "claim", owner: label, id });
      expect({ where, claimed }).toMatchObject({
        where,
        claimed: { ok: true, tasks: [{ owner: label }] },
      });
      expect((await store.list({ owner: label })).map((each) => each.id)).toContain(id);
      await store.renewByObservation(label);
      await store.get(text);
      await store.list({ parent: text, blockedBy: text });
      const held = [{ id, epoch: 1 }];
      const done = await act({ op: "finish", owner: label, held, evidence: [text] });
      expect({ where, done }).toMatchObject({ where, done: { ok: true } });
    }
    expect(made).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(2);
    const list = await store.list();
    expect(list).toHaveLength(made + 1);
    expect(list[0]).toStrictEqual(before);
  });
});

describe("times", () => {
  const NO_TIMES: readonly unknown[] = [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    -1,
    Date.UTC(0, 0, 1) - 2e14,
    253_402_300_800_000,
    8.64e15,
    9e15,
    Number.MAX_VALUE,
    "",
    "now",
    "2026-01-01T00:00:00Z",
    "1700000000000",
    null,
    true,
    [],
    [1],
    {},
    new Date(0),
    () => 1,
    Symbol.iterator,
    1n,
  ];

  it.each(["memory", ...ENGINES])(
    "refuses invalid times, %s",
    { tags: ["invalid-time"] },
    async (engine) => {
      const store = await opened(engine);
      await store.apply({ op: "add", tasks: [{ subject: "one" }] }, SENDER);
      const before = await store.list();
      const tried = NO_TIMES.concat(
        Array.from({ length: FULL ? 100 : 20 }, () => -Math.random() * 1e15),
      );
      const held = [{ id: "t1", epoch: 1 }];
      for (const time of tried) {
        const ops = [
          { op: "add", tasks: [{ subject: "x", createdAt: time }] },
          { op: "add", tasks: [{ subject: "x", status: "done", finishedAt: time }] },
          { op: "claim", owner: "ann", lease: time },
          { op: "assign", id: "t1", owner: "ann", lease: time },
          { op: "renew", owner: "ann", held, lease: time },
        ];
        for (const op of ops) {
          const answer = await store.apply(op as unknown as TaskOp, SENDER);
          expect({ op: op.op, time: String(time), answer }).toMatchObject({
            op: op.op,
            time: String(time),
            answer: { ok: false, refused: { code: "invalid_input" } },
          });
        }
      }
      expect(await store.list()).toStrictEqual(before);
      for (const createdAt of [0, 253_402_300_799_999]) {
        const answer = await store.apply(
          { op: "add", tasks: [{ subject: "x", createdAt }] },
          SENDER,
        );
        expect(answer).toMatchObject({ ok: true, tasks: [{ createdAt }] });
      }
    },
  );
});

describe("export and import", { timeout: 600_000 }, () => {
  const word = fc.constantFrom(
    "x",
    "two words",
    'it\'s "so" \\ 🧭',
    "漢字\n\nzwei",
    "$1 <b>",
    "null",
  );
  const json = fc
    .jsonValue({ maxDepth: 2 })
    .filter((value) => !JSON.stringify(value).includes("__proto__"));
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const draft = fc.record({
    subject: word,
    description: maybe(word),
    activeText: maybe(word),
    priority: maybe(fc.constantFrom(0, 1, 2, 3, 4)),
    labels: maybe(fc.uniqueArray(fc.constantFrom("a", "b", "c d"))),
    maxAttempts: maybe(fc.integer({ min: 1, max: 9 })),
    metadata: maybe(fc.dictionary(fc.constantFrom("team", "estimate", "x y", "subtasks"), json)),
    author: maybe(fc.constantFrom("ann", "bob")),
    status: maybe(fc.constantFrom("open", "done", "failed", "cancelled")),
    owner: maybe(fc.constantFrom("ann", "bob")),
    evidence: maybe(fc.uniqueArray(word, { maxLength: 2 })),
    reason: maybe(word),
    createdAt: fc.integer({ min: 0, max: 2_000_000_000_000 }),
    finishedAt: fc.integer({ min: 0, max: 2_000_000_000_000 }),
    blockedBy: fc.array(fc.nat(9), { maxLength: 2 }),
    parent: maybe(fc.nat(9)),
  });

  type Made = typeof draft extends fc.Arbitrary<infer T> ? T : never;

  /** Refers to earlier ones only. */
  function tied({ blockedBy, parent, ...rest }: Made, place: number): TaskDraft {
    const before = blockedBy.filter((each) => each < place).map((each) => `n${each}`);
    const given = Object.entries(rest).filter(([, value]) => value !== undefined);
    return {
      ...(Object.fromEntries(given) as unknown as TaskDraft),
      name: `n${place}`,
      blockedBy: before,
      ...(parent !== undefined && parent < place && { parent: `n${parent}` }),
    };
  }

  /** Except fields that belong to the store. */
  const shown = (tasks: readonly Task[]) => tasks.map(({ ref, updatedAt, ...task }) => task);

  it("loses and adds nothing from each engine to the next and back", {
    tags: ["lossy-export"],
  }, async () => {
    let exports = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(draft, { minLength: 1, maxLength: 8 }), async (drafts) => {
        const first = memoryTaskStore() as unknown as TaskStore;
        const made = await first.apply({ op: "add", tasks: drafts.map(tied) }, SENDER);
        expect(made.ok).toBe(true);
        const lines = (tasks: readonly Task[]) =>
          tasks.map((task) => JSON.stringify({ ...task, extra: { unknown: task.id } })).join("\n");
        const whole = await first.list();
        let text = lines(whole);
        const expected = shown(
          whole.map((task) => ({
            ...task,
            metadata: { extra: { unknown: task.id }, ...task.metadata },
          })),
        );
        for (const engine of [...ENGINES, "memory"]) {
          const store = await OPEN[engine]?.();
          if (!store) throw new Error(engine);
          const { drafts: read, skipped } = readTaskExport(text, "source");
          expect(skipped).toStrictEqual([]);
          const answer = await store.apply({ op: "add", tasks: inOrder(read).drafts }, SENDER);
          expect(answer).toMatchObject({ ok: true });
          const list = await store.list();
          expect({ engine, tasks: shown(list) }).toStrictEqual({ engine, tasks: expected });
          text = list.map((task) => JSON.stringify(task)).join("\n");
          exports += 1;
          await store.close();
        }
      }),
      { numRuns: FULL ? 60 : 8 },
    );
    // One export of each engine for each of at least eight lists.
    expect(exports).toBeGreaterThanOrEqual(8 * (ENGINES.length + 1));
  });
});
