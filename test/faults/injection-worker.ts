// A separate process that runs under the shim and makes its own calls fail: for each fault the
// first call, then the second, until a write succeeds without one. Prints one JSON line with its
// findings at the end.
import { writeSync } from "node:fs";
import { WaymarkError } from "../../src/core/error.ts";
import { snapshotStore } from "../../src/stores/snapshot-store.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { type Fault, openControl } from "./shim.ts";

export interface InjectionOrders {
  readonly store: "sqlite" | "snapshots" | "tasks";
  readonly path: string;
  readonly control: string;
  readonly faults: readonly Omit<Fault, "nth">[];
  /** A store that is already open, or opened again for each failing call. */
  readonly open: boolean;
  /** Queue for every write. */
  readonly inLine?: boolean;
}

export interface InjectionReport {
  readonly injections: number;
  readonly codes: Readonly<Record<string, number>>;
  /** Violations: a false answer, a partial state, an error without a message. */
  readonly wrong: readonly string[];
  /** Every acknowledged key. */
  readonly acknowledged: readonly string[];
}

const TRACK = { session: "s", agent: "main" };
const MOST_CALLS = 200;
/** Next steps for a user. */
const WAY_OUT = /[Tt]ry again|[Cc]heck |free some space|move it away|[Nn]ame another/;

/** One writer: whether the key was written, and the stored keys. */
interface Writer {
  write(key: string): Promise<boolean>;
  keys(): Promise<readonly string[]>;
  close(): Promise<void>;
}

function writerOn(store: Store): Writer {
  return {
    write: async (key) => (await store.commit(TRACK, key, addTodo(key, key))).ok,
    keys: async () => (await store.events(TRACK)).map((event) => event.key),
    close: async () => store.close(),
  };
}

function taskWriterOn(store: TaskStore): Writer {
  return {
    async write(key) {
      const sender = { by: "agent", via: "test", actor: "a", key } as const;
      return (await store.apply({ op: "add", tasks: [{ subject: key }] }, sender)).ok;
    },
    keys: async () => (await store.list({})).map((task) => task.subject),
    close: async () => store.close(),
  };
}

const orders: InjectionOrders = JSON.parse(process.argv[2] ?? "{}");
const control = openControl(orders.control);
const onWarning = () => {};

async function openWriter(): Promise<Writer> {
  const { path } = orders;
  if (orders.store === "tasks")
    return taskWriterOn(await sqliteTaskStore(path, { createDirectory: true, onWarning }));
  return writerOn(
    orders.store === "sqlite"
      ? // A writer with additional writes per commit always queues.
        await sqliteStore(path, {
          createDirectory: true,
          onWarning,
          ...(orders.inLine && { onCommit() {} }),
        })
      : snapshotStore(path, { onWarning }),
  );
}

const acknowledged: string[] = [];
const wrong: string[] = [];
const codes: Record<string, number> = {};
let injections = 0;
let kept = orders.open ? await openWriter() : undefined;

async function writeOnce(key: string): Promise<boolean> {
  const writer = kept ?? (await openWriter());
  try {
    return await writer.write(key);
  } finally {
    if (!kept) await writer.close();
  }
}

function decideError(error: unknown, what: string): void {
  const code = error instanceof WaymarkError ? error.code : "untyped";
  codes[code] = (codes[code] ?? 0) + 1;
  const message = error instanceof Error ? error.message : String(error);
  if (code === "untyped") wrong.push(`${what}: no typed error: ${message}`);
  else if (!WAY_OUT.test(message)) wrong.push(`${what}: no way out: ${message}`);
}

/** Returns whether the fault occurred. */
async function inject(fault: Fault, key: string): Promise<boolean> {
  const what = `${key} ${fault.error}${fault.lasting ? " from then on" : ""}`;
  control.arm(fault);
  let answered: boolean | undefined;
  try {
    answered = await writeOnce(key);
  } catch (error) {
    decideError(error, what);
  }
  const { hits } = control.counts();
  control.disarm();
  if (answered === false) wrong.push(`${what}: refused`);
  if (hits > 0) injections += 1;
  // Equivalent to a separate process: nothing of the failed connection is reused.
  const fresh = await openWriter();
  const there = (await fresh.keys()).filter((each) => each === key).length;
  await fresh.close();
  if (there > 1) wrong.push(`${what}: there ${there} times`);
  if (answered && there !== 1) wrong.push(`${what}: answered with yes and not there`);
  // The same write again: now it succeeds, and still counts once.
  try {
    if (!(await writeOnce(key))) wrong.push(`${what}: refused at the next attempt`);
    acknowledged.push(key);
  } catch (error) {
    wrong.push(`${what}: fails at the next attempt: ${error}`);
    kept &&= await openWriter();
  }
  return hits > 0;
}

for (const [place, fault] of orders.faults.entries()) {
  let nth = 1;
  while (await inject({ ...fault, nth }, `k${place}:${nth}`)) {
    nth += 1;
    if (nth > MOST_CALLS)
      throw new Error(`one write makes too many calls: ${JSON.stringify(fault)}`);
  }
}
const report: InjectionReport = { injections, codes, wrong, acknowledged };
writeSync(1, `${JSON.stringify(report)}\n`);
process.exit(0);
