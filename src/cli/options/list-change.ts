import type { Policy } from "../../core/list/policy.ts";
import type { Op, Outcome, RejectionCode, Track } from "../../core/model.ts";
import { counted } from "../../core/text/count.ts";
import { redactRefusal } from "../../engines/storage/redact-secrets.ts";
import type { List, SubmitOptions } from "../../tracker.ts";
import type { Call, Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { listForm, listLine } from "../print/list-form.ts";
import { TRACK_OPTIONS } from "./track-selection.ts";

/** For commands that change a list. */
export const CHANGE_OPTIONS = {
  ...TRACK_OPTIONS,
  session: {
    ...TRACK_OPTIONS.session,
    default: "your own list in this directory, or the newest",
  },
  key: {
    type: "string",
    value: "KEY",
    summary: "Idempotency key; repeating a call with the same key is safe",
    perCall: true,
  },
  json: { type: "boolean", summary: "Print the list as JSON, with ok and rejected", perCall: true },
} as const satisfies Options;

type ChangeCall = Pick<Call<typeof CHANGE_OPTIONS>, "values" | "terminal">;

/** Submits a change of the user as one step: all of it or nothing. */
export async function submit(
  { values }: ChangeCall,
  list: List,
  ops: readonly Op[],
  options: Pick<SubmitOptions, "policy" | "revision"> = {},
): Promise<Outcome> {
  const { key } = values;
  return list.submit(ops, {
    by: "user",
    via: "cli",
    ...(key !== undefined && { key }),
    ...options,
  });
}

/** Why a change was refused, for the user. */
export interface Problem {
  readonly code: RejectionCode;
  readonly message: string;
}

interface Reported extends Omit<Outcome, "rejected"> {
  readonly rejected: readonly Problem[];
}

/** Prints the list after the change, or why it was refused. */
export function report(call: ChangeCall, outcome: Reported): Exit {
  const { values, terminal } = call;
  const { ok, rejected, duplicate, after } = outcome;
  if (duplicate) terminal.printError("This key was used before, so nothing was changed.");
  if (!ok) return refuse(call, rejected, after);
  if (values.json)
    terminal.printJson({ ok, rejected: rejected.map(redactRefusal), ...listForm(after) });
  else terminal.printText([...added(outcome), ...startedList(outcome), listLine(after)].join("; "));
  return EXIT.success;
}

export function refuse(
  { values, terminal }: ChangeCall,
  rejected: readonly Problem[],
  track: Track,
): Exit {
  if (values.json)
    terminal.printJson({
      ok: false,
      rejected: rejected.map(redactRefusal),
      ...listForm(track),
    });
  for (const { message } of rejected) terminal.printError(`waymark: ${message}`);
  terminal.printError("Nothing was changed.");
  return EXIT.failure;
}

function added({ event, duplicate }: Reported): string[] {
  if (duplicate) return [];
  const ids = (event?.changes ?? []).flatMap((change) =>
    change.type === "todo.added" ? [change.todo.id] : [],
  );
  return ids.length === 0 || ids.length > 5 ? [] : [`Added ${ids.join(", ")}`];
}

/** A finished list leaves the screen when new todos start the next one. */
function startedList({ event, before, duplicate }: Reported): string[] {
  const isNew = !duplicate && event?.changes.some(({ type }) => type === "list.started");
  const count = before.todos.length;
  return isNew && count > 0
    ? [`this starts a new list, the finished one (${counted(count, "todo")}) is in the history`]
    : [];
}

/** Submits the change and prints the result. */
export async function change(
  call: ChangeCall,
  list: List,
  ops: readonly Op[],
  policy?: Partial<Policy>,
): Promise<Exit> {
  return report(call, await submit(call, list, ops, policy && { policy }));
}
