import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { sqliteStore } from "../../../src/stores/sqlite.ts";
import { trackerOn } from "../../../src/tracker.ts";
import { CODE_POINT } from "../../code-point.ts";
import { FULL } from "../../full.ts";
import { until } from "../../until.ts";
import { startTestServer } from "./test-server.ts";

const RUNS = FULL ? 5_000 : 120;
const LIST = "api/tracks/s~main";
const served = startTestServer();
const ask = (path: string, more: RequestInit = {}) => {
  const { serving } = served();
  const headers = {
    authorization: `Bearer ${serving.token}`,
    "content-type": "application/json",
  };
  return fetch(`${serving.url}${path}`, { headers, ...more });
};
const post = async (path: string, body: unknown): Promise<number> => {
  const answer = await ask(path, { method: "POST", body: JSON.stringify(body) });
  await answer.arrayBuffer();
  return answer.status;
};

beforeAll(async () => {
  const { machine } = served();
  machine.run(["todo", "add", "Paint", "Dry", "--session", "s"]);
  for (const subject of ["Paint", "Dry"]) machine.run(["task", "add", subject]);
  const tracker = trackerOn(
    await sqliteStore(join(machine.home, "waymark.db"), { createDirectory: true }),
  );
  await tracker.list({ session: "s", agent: "main" }).plan.propose("1. Paint\n2. Dry");
  await tracker.close();
  await until(async () => (await ask(LIST)).status === 200, "the list to be served");
});

test("refuses an op without a valid target", async () => {
  for (const target of [{}, [], null, "1", { any: 1 }, { any: "1", all: true }, { text: "Paint" }])
    for (const op of ["start", "finish", "drop", "reopen", "block", "unblock", "remove"]) {
      const status = await post(`${LIST}/ops`, { ops: [{ op, target }], key: "k" });
      expect({ op, target, status }).toEqual({ op, target, status: 400 });
    }
});

const text = fc.oneof(
  fc.constantFrom("1", "2", "t1", "t2", "Paint", "", " ", "\u0000", "\ud800", "__proto__"),
  fc.string({ unit: CODE_POINT, maxLength: 12 }),
);
const number = fc.constantFrom(-1, 0, 1, 2, 0.5, 1e300, 2 ** 53);
const texts = fc.array(text, { maxLength: 3 });
const odd = fc.oneof(text, number, texts, fc.constantFrom(null, true, {}, [[]], [{}]));
/** Mostly valid values, sometimes another type. */
const like = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;
const without = (given: object, left: readonly string[]) =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !left.includes(name)));
/** An object with these fields, a few of which may be missing. */
const shaped = (fields: Fields, more: Fields = {}) =>
  fc
    .tuple(
      fc.record(Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, like(of)]))),
      fc.record(more, { requiredKeys: [] }),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.subarray(Object.keys(fields)) },
      ),
    )
    .map(([all, extra, left]) => ({ ...without(all, left), ...extra }));
const opOf = (kinds: Readonly<Record<string, readonly [Fields, Fields?]>>) =>
  fc.oneof(
    ...Object.entries(kinds).map(([op, [fields, more]]) =>
      shaped({ op: fc.constant(op), ...fields }, more),
    ),
  );

const target = shaped({ any: text });
const todo = shaped(
  { text },
  {
    status: fc.constantFrom("pending", "in_progress", "completed", "cancelled", "blocked"),
    activeText: text,
    phase: text,
    priority: text,
    notes: texts,
    blocker: text,
  },
);
const todoOp = opOf({
  add: [{ todos: fc.array(todo, { minLength: 1, maxLength: 3 }) }],
  start: [{ target }],
  finish: [{ target }, { evidence: text }],
  drop: [{ target }, { evidence: text }],
  reopen: [{ target }],
  block: [{ target }, { reason: text }],
  unblock: [{ target }],
  remove: [{ target }],
  note: [{ target, text }],
  edit: [{ target, set: todo }],
  move: [{ target, to: number }],
  set: [{ todos: fc.array(todo) }],
});
const held = fc.tuple(shaped({ id: text }, { epoch: number }));
const edited = shaped(
  {},
  {
    subject: text,
    description: fc.option(text),
    priority: number,
    labels: texts,
    parent: fc.option(text),
    addBlockedBy: texts,
    removeBlockedBy: texts,
  },
);
const taskOp = opOf({
  add: [
    {
      tasks: fc.tuple(
        shaped({ subject: text }, { description: text, labels: texts, blockedBy: texts }),
      ),
    },
  ],
  edit: [
    { id: text, set: edited },
    { base: shaped({}, { subject: text, description: fc.option(text) }) },
  ],
  assign: [{ id: text, owner: text }, { from: shaped({ owner: text, epoch: number }) }],
  release: [{ owner: text, held }, { reason: text }],
  renew: [{ owner: text, held }],
  finish: [{ owner: text, held }, { evidence: texts }],
  reopen: [{ id: text }],
  cancel: [{ id: text }, { reason: text }],
  claim: [{ owner: text }],
});
const key = fc.uuid();
const decision = fc.constantFrom("approve", "reject", "comment", "adopt");
const base = fc.dictionary(text, like(todo), { maxKeys: 3 });
const BODIES: Fields = {
  [`${LIST}/ops`]: shaped(
    { ops: fc.array(like(todoOp), { minLength: 1, maxLength: 3 }), key },
    { base },
  ),
  [`${LIST}/plan`]: shaped({ decision, key }, { comment: text, step: number }),
  [`${LIST}/promote`]: shaped({ todo: text }),
  "api/tasks": shaped({ op: taskOp, key }),
};

test.each(Object.entries(BODIES))(
  "answers no body for %s with an internal error",
  async (path, body) => {
    const met = new Set<number>();
    await fc.assert(
      fc.asyncProperty(like(body), async (sent) => {
        const status = await post(path, sent);
        met.add(status);
        expect(status).toBeLessThan(500);
      }),
      { numRuns: RUNS },
    );
    // Some requests were valid and reached the store.
    expect([...met].some((status) => status !== 400)).toBe(true);
    expect(served().printed).toEqual([]);
  },
  120_000,
);
