import type { Policy } from "../../core/list/policy.ts";
import type { Op, Outcome, RejectionCode, Track } from "../../core/model.ts";
import { refusalWithoutSecrets } from "../../engines/storage/own-secrets.ts";
import type { List, SubmitOptions } from "../../tracker.ts";
import type { Call, Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { listForm, listLine } from "../print/list-form.ts";
import { TRACK_OPTIONS } from "./which-track.ts";

/** What every command that changes a list takes. */
export const CHANGE_OPTIONS = {
  ...TRACK_OPTIONS,
  key: {
    type: "string",
    value: "KEY",
    summary: "Unique for this change: the same key never acts twice",
  },
  json: { type: "boolean", summary: "Print JSON: ok, rejected and the list" },
} as const satisfies Options;

type ChangeCall = Pick<Call<typeof CHANGE_OPTIONS>, "values" | "terminal">;

/** Makes a person's change in one step: all of it, or nothing. */
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

/** Why something was refused, in words for a person. */
export interface Problem {
  readonly code: RejectionCode;
  readonly message: string;
}

interface Reported extends Omit<Outcome, "rejected"> {
  readonly rejected: readonly Problem[];
}

/** Says how the list stands now, or why it stands as before. */
export function report(call: ChangeCall, outcome: Reported): Exit {
  const { values, terminal } = call;
  const { ok, rejected, duplicate, after } = outcome;
  if (duplicate) terminal.say("This key was used before: nothing was done again.");
  if (!ok) return refuse(call, rejected, after);
  if (values.json)
    terminal.printJson({ ok, rejected: rejected.map(refusalWithoutSecrets), ...listForm(after) });
  else terminal.printText([...added(outcome), listLine(after)].join("; "));
  return EXIT.fine;
}

export function refuse(
  { values, terminal }: ChangeCall,
  rejected: readonly Problem[],
  track: Track,
): Exit {
  if (values.json)
    terminal.printJson({
      ok: false,
      rejected: rejected.map(refusalWithoutSecrets),
      ...listForm(track),
    });
  for (const { message } of rejected) terminal.say(`waymark: ${message}`);
  terminal.say("Nothing was changed.");
  return EXIT.no;
}

function added({ event, duplicate }: Reported): string[] {
  if (duplicate) return [];
  const ids = (event?.changes ?? []).flatMap((change) =>
    change.type === "todo.added" ? [change.todo.id] : [],
  );
  return ids.length === 0 || ids.length > 5 ? [] : [`added ${ids.join(", ")}`];
}

/** Makes the change and reports it. */
export async function change(
  call: ChangeCall,
  list: List,
  ops: readonly Op[],
  policy?: Partial<Policy>,
): Promise<Exit> {
  return report(call, await submit(call, list, ops, policy && { policy }));
}
