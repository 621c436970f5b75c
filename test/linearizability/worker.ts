// A client process. Its only argument names the store. It prints "ready" when the store is open. Each line of its
// input is a round: lanes call the store at random and print every call when it begins and when it ends, so that the
// calls of a killed process are known. An empty line ends the round.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { postgresStore } from "../../src/stores/postgres.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { TaskOp, TaskSender } from "../../src/tasks/model.ts";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { trackerOn } from "../../src/tracker.ts";
import { type Chance, chanceFrom } from "../faults/power-cut.ts";
import { type ListInput, type ListOutput, type ListState, listStateOf } from "./lists.ts";
import type { TaskInput, TaskOutput } from "./tasks.ts";

export interface ClientOrders {
  readonly name: string;
  /** A file, or the URL of a server. */
  readonly store: string;
}

export interface Round {
  readonly seed: number;
  readonly lanes: number;
  /** Calls of each lane. */
  readonly calls: number;
  readonly tasks: readonly string[];
  readonly lease: number;
  /** The session of the list. */
  readonly list: string;
}

/** A line of output. A call without an end, or whose end has no output, has an unknown outcome. */
export type Line =
  | ({ readonly call: string; readonly client: string; readonly from: number } & (
      | { readonly task: TaskInput }
      | { readonly list: ListInput }
    ))
  | { readonly end: string; readonly to: number; readonly output?: TaskOutput | ListOutput }
  | { readonly done: number };

const orders: ClientOrders = JSON.parse(process.argv[2] ?? "{}");
const isServer = orders.store.startsWith("postgres:");
// A partition lasts longer than a statement may.
const limits = { connections: 3, statementLimit: 800, waitLimit: 2_000 };
const file = { createDirectory: true };
const tasks = await (isServer
  ? postgresTaskStore(orders.store, limits)
  : sqliteTaskStore(orders.store, file));
const lists = trackerOn(
  await (isServer ? postgresStore(orders.store, limits) : sqliteStore(orders.store, file)),
);
const micros = () => Number(process.hrtime.bigint() / 1_000n);
const print = (line: Line | "ready") =>
  writeSync(1, `${line === "ready" ? line : JSON.stringify(line)}\n`);

let calls = 0;

/**
 * Makes a call and prints it. With a key, it is repeated as long as its outcome is unknown; a refusal of the
 * repeated call is another call, because the first one may still take effect.
 */
async function record<I extends { task: TaskInput } | { list: ListInput }, O extends object>(
  client: string,
  input: I,
  isKeyed: boolean,
  act: () => Promise<O>,
): Promise<O | undefined> {
  const name = () => `${orders.name}:${calls++}`;
  const call = name();
  print({ call, client, from: micros(), ...input });
  for (let attempt = 0; attempt < 3; attempt++) {
    const from = micros();
    const began = Date.now();
    const output = await act().catch(() => undefined);
    if (!output && isKeyed) continue;
    if (attempt > 0 && output && "refused" in output) {
      const again = name();
      const repeated = "task" in input ? { task: { ...input.task, began } } : input;
      print({ call: again, client, from, ...repeated });
      print({ end: again, to: micros(), output: output as unknown as TaskOutput });
      return output;
    }
    print({ end: call, to: micros(), ...(output && { output: output as unknown as TaskOutput }) });
    return output;
  }
  return undefined;
}

async function callTasks(input: TaskInput): Promise<TaskOutput> {
  const { op, owner, id, epoch = 0, lease, key } = input;
  if (op === "read") {
    const one = id === undefined ? undefined : await tasks.get(id);
    const found = id === undefined ? await tasks.list({}) : one ? [one] : [];
    return { ended: Date.now(), tasks: found };
  }
  if (op === "observe") {
    const renewed = await tasks.renewByObservation(owner);
    return { ended: Date.now(), tasks: renewed };
  }
  const held = [{ id: id ?? "", epoch }];
  const ops: Record<typeof op, TaskOp> = {
    claim: { op: "claim", owner, lease, ...(id !== undefined && { id }) },
    renew: { op: "renew", owner, held, lease },
    release: { op: "release", owner, held },
    finish: { op: "finish", owner, held },
    fail: { op: "fail", owner, held, reason: "it failed" },
    reopen: { op: "reopen", id: id ?? "" },
  };
  const sender: TaskSender = { by: "agent", via: "test", actor: owner, ...(key && { key }) };
  const answer = await tasks.apply(ops[op], sender);
  const ended = Date.now();
  return answer.ok ? { ended, tasks: answer.tasks } : { ended, tasks: [], refused: answer.refused };
}

async function callList(session: string, input: ListInput): Promise<ListOutput> {
  const list = lists.list({ session, agent: "main" });
  const { revision, key } = input;
  const options = { ...(revision !== undefined && { revision }), ...(key && { key }) };
  if (input.op === "read") return { list: listStateOf(await list.read()) };
  const { ok, rejected, after, duplicate } = await (input.op === "set"
    ? list.set(
        input.texts.map((text) => ({ text, status: "pending" as const })),
        options,
      )
    : list.submit(
        [
          input.op === "add"
            ? { op: "add", todos: [{ text: input.text }] }
            : { op: input.op, target: { any: input.text } },
        ],
        options,
      ));
  return {
    ...(!duplicate && { list: listStateOf(after) }),
    ...(!ok && { refused: rejected[0]?.code ?? "" }),
  };
}

/** Memory of a lane: the epochs of its claims, also of former ones, and the list as it last saw it. */
interface Memory {
  readonly epochs: Map<string, number>;
  seen: ListState;
}

async function callAnyTask(client: string, chance: Chance, round: Round, { epochs }: Memory) {
  const pick = <T>(all: readonly T[]) => all[chance.below(all.length)];
  const id = pick(round.tasks) ?? "";
  const epoch = epochs.get(id);
  const dice = chance.below(20);
  const own = pick(["renew", "release", "finish", "finish", "fail"] as const) ?? "renew";
  const isAny = dice % 2 === 0;
  const op = ((): TaskInput["op"] => {
    if (dice < 9 && epoch !== undefined) return own;
    if (dice < 14) return "claim";
    if (dice < 16) return "reopen";
    return dice < 18 ? "read" : "observe";
  })();
  const isKeyed = op !== "read" && op !== "observe" && chance.below(2) === 0;
  const isStore = op === "observe" || ((op === "claim" || op === "read") && isAny);
  const input: TaskInput = {
    op,
    owner: client,
    lease: round.lease,
    began: Date.now(),
    ...(!isStore && { id }),
    ...(op === own && { epoch: epoch ?? 0 }),
    ...(isKeyed && { key: `${orders.name}.${calls}` }),
  };
  const output = await record(client, { task: input }, isKeyed, () => callTasks(input));
  if (op === "claim") for (const task of output?.tasks ?? []) epochs.set(task.id, task.epoch);
}

async function callAnyList(client: string, chance: Chance, round: Round, memory: Memory) {
  const { todos, revision } = memory.seen;
  // No text is the beginning of another.
  const text = `${client} ${calls}.`;
  const known = todos[chance.below(todos.length)];
  const dice = chance.below(12);
  const isKeyed = chance.below(2) === 0;
  const write = {
    ...(chance.below(3) === 0 && { revision }),
    ...(isKeyed && { key: `${orders.name}.${calls}` }),
  };
  const input: ListInput =
    todos.length > 8 || dice < 2
      ? { op: "set", texts: [...todos.slice(-3), text], ...write }
      : dice < 5 || known === undefined
        ? { op: "add", text, ...write }
        : dice < 8
          ? { op: dice < 7 ? "start" : "remove", text: known, ...write }
          : { op: "read" };
  const output = await record(client, { list: input }, isKeyed, () => callList(round.list, input));
  if (output?.list) memory.seen = output.list;
}

async function runLane(lane: number, round: Round): Promise<void> {
  const client = `${orders.name}.${lane}`;
  const chance = chanceFrom(round.seed + lane);
  const memory: Memory = {
    epochs: new Map(),
    seen: { revision: 0, todos: [], started: undefined },
  };
  for (let n = 0; n < round.calls; n++)
    await (chance.below(3) === 0 ? callAnyList : callAnyTask)(client, chance, round, memory);
}

const input = createInterface({ input: process.stdin });
print("ready");
for await (const line of input) {
  const round: Round = JSON.parse(line);
  await Promise.all(Array.from({ length: round.lanes }, (_, lane) => runLane(lane, round)));
  print({ done: round.seed });
}
await tasks.close();
await lists.close();
process.exit(0);
