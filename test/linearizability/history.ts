import { LIST, type ListInput, type ListOutput, type ListState } from "./lists.ts";
import { type Model, type Operation, violationOf } from "./search.ts";
import {
  type OneOutput,
  operationsOn,
  TASK,
  type TaskInput,
  type TaskOutput,
  type TaskState,
} from "./tasks.ts";
import type { Line } from "./worker.ts";

/** The calls of all clients in one round. */
export interface History {
  readonly tasks: readonly Operation<TaskInput, TaskOutput>[];
  readonly list: readonly Operation<ListInput, ListOutput>[];
}

/** Pairs the lines of clients into operations. A call without an end has no output. */
export function historyOf(lines: readonly Line[]): History {
  const ends = new Map(lines.flatMap((line) => ("end" in line ? [[line.end, line] as const] : [])));
  const tasks: Operation<TaskInput, TaskOutput>[] = [];
  const list: Operation<ListInput, ListOutput>[] = [];
  for (const line of lines) {
    if (!("call" in line)) continue;
    const { call, client, from } = line;
    const end = ends.get(call);
    const output = end?.output;
    const base = { client, from, to: output && end ? end.to : Number.POSITIVE_INFINITY };
    if ("task" in line)
      tasks.push({ ...base, input: line.task, output: output as TaskOutput | undefined });
    else list.push({ ...base, input: line.list, output: output as ListOutput | undefined });
  }
  return { tasks, list };
}

const MOST_BEFORE = 6;

/** A violation as text: what the object may have been, and the calls in flight that do not fit it. */
function explain<S, I, O>(
  name: string,
  model: Model<S, I, O>,
  operations: readonly Operation<I, O>[],
  words: {
    state(state: S): string;
    input(input: I): string;
    output(output: O): string;
  },
): string | undefined {
  const violation = violationOf(model, operations);
  if (!violation) return undefined;
  const { last, states, part, before } = violation;
  const origin = Math.min(...operations.map(({ from }) => from));
  const ms = (time: number) => ((time - origin) / 1_000).toFixed(1).padStart(9);
  const line = (each: Operation<I, O>) => {
    const end = each.output === undefined ? "        ?" : ms(each.to);
    const output = each.output === undefined ? "no answer yet" : words.output(each.output);
    const mark = each.from === last.from && each.client === last.client ? "> " : "  ";
    return `${mark}${ms(each.from)} ${end}  ${each.client}  ${words.input(each.input)}: ${output}`;
  };
  return [
    `${name} is not linearizable: no order of its ${operations.length} calls explains all answers.`,
    `The ${before.length} calls that ended before this part can be explained, the last ones are:`,
    ...before.slice(-MOST_BEFORE).map(line),
    `After them, the possible states are: ${states.map(words.state).join("; ") || "none"}.`,
    "From there, no order explains these calls (start and end in ms; > has the first wrong answer):",
    ...part.map(line),
  ].join("\n");
}

const TASK_WORDS = {
  state: ({ status, owner, epoch, attempts, lease }: TaskState) =>
    [
      `${status}, epoch ${epoch}, attempt ${attempts}`,
      ...(owner === undefined ? [] : [`owner ${owner}`]),
      ...(status === "claimed" ? [`lease until ${[...new Set(lease)].join(" to ")}`] : []),
    ].join(", "),
  input: ({ op, id, epoch, key, began }: TaskInput) =>
    [
      `${op} ${id ?? "any"}`,
      ...(epoch === undefined ? [] : [`epoch ${epoch}`]),
      ...(key === undefined ? [] : [`key ${key}`]),
      `at ${began}`,
    ].join(", "),
  output: ({ task, refused }: OneOutput) =>
    refused
      ? `refused, ${[refused.code, refused.holder, refused.epoch, refused.leaseUntil].filter((each) => each !== undefined).join(" ")}`
      : `${task?.status}, epoch ${task?.epoch}, attempt ${task?.attempts}, owner ${task?.owner}, ` +
        `lease until ${task?.leaseUntil}, updated ${task?.updatedAt}`,
};

const listWords = ({ revision, todos, started }: ListState) =>
  `revision ${revision} [${todos.map((text) => (text === started ? `${text} (started)` : text)).join(", ")}]`;

const LIST_WORDS = {
  state: listWords,
  input: (input: ListInput) => {
    const what =
      "text" in input ? input.text : "texts" in input ? `[${input.texts.join(", ")}]` : "";
    const revision = input.revision === undefined ? "" : ` if revision ${input.revision}`;
    return `${input.op} ${what}${revision}`;
  },
  output: ({ list, refused }: ListOutput) =>
    `${refused === undefined ? "" : `refused, ${refused}, `}${list ? listWords(list) : "done before"}`,
};

/** The tasks and lists of a history that are not linearizable, as text. */
export function violationsOf({ tasks, list }: History, ids: readonly string[]): string[] {
  return [
    ...ids.map((id) => explain(`Task ${id}`, TASK, operationsOn(id, tasks), TASK_WORDS)),
    explain("The list", LIST, list, LIST_WORDS),
  ].filter((text) => text !== undefined);
}
