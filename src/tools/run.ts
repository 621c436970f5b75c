import { type Awaitable, andThen } from "../core/awaitable.ts";
import { WaymarkError } from "../core/error.ts";
import { readOnlyDuring } from "../core/guidance/refusal-texts.ts";
import { hasUnseenEdits } from "../core/guidance/user-edits.ts";
import type { ListAccess, WriteRequest } from "../core/list/access.ts";
import { planModeRejection } from "../core/list/decide.ts";
import type { Outcome, Rejection, Reminder } from "../core/model.ts";
import { joinText, json, type ModelText, modelText, quote } from "../core/text/model-text.ts";
import { checkValue, parseInput, type Read } from "./input.ts";
import { renderRefusal, renderUserEdits } from "./render.ts";
import type { Tool } from "./tool.ts";

/** The host's knowledge about a tool call. */
export interface CallOptions {
  /** Idempotency key: calls with the same key take effect once. */
  readonly key?: string | undefined;
  /** The host is in plan mode, whatever the track says. */
  readonly planMode?: boolean;
  /** The operation during which writes are refused, such as "git commit". */
  readonly offIn?: string | undefined;
}

/** The result of a call to a list tool. */
export interface ToolResult {
  readonly ok: boolean;
  /** The text for the model. */
  readonly text: ModelText;
  readonly data: unknown;
  readonly rejected: readonly Rejection[];
  /** Some operations were refused, the others were applied. */
  readonly partial?: true;
  /** Todos that kept an edit of the user that the call would have undone. */
  readonly kept?: readonly { readonly id: string; readonly text: string }[];
  /** User edits since the last call; part of the text. */
  readonly notice?: ModelText;
  /** The reminder that came with the answer; part of the text. */
  readonly reminder?: Reminder;
}

export function refusal(rejected: readonly Rejection[]): ToolResult {
  return { ok: false, text: renderRefusal(rejected), data: null, rejected };
}

/** Refused because the host or the user wants no list writes during an operation. */
export function gated(operation: string): Rejection {
  return {
    code: "gated",
    message: readOnlyDuring(quote(operation, 60)),
  };
}

/** Executes one call. Invalid input never throws and changes nothing. */
export function runTool(
  tool: Tool,
  input: unknown,
  access: ListAccess,
  { key, planMode: planning = false, offIn }: CallOptions = {},
): Awaitable<ToolResult> {
  const checked = readInput(tool, input);
  const recorded = (answer: ToolResult) => recordRefusal(access, answer, key);
  if (!checked.ok) return recorded(refusal(checked.rejected));
  const call = checked.value;
  const result = (outcome: Outcome) => resultOf(tool, call, outcome, access);
  const write = (decode: WriteRequest["decode"]) =>
    access.write({
      via: tool.name,
      key,
      policy: tool.policy,
      ...(tool.fieldNames && { fieldNames: tool.fieldNames }),
      showsEdits: true,
      ...(tool.reminds && { mayRemind: true }),
      decode,
    });

  if (tool.reads?.(call)) {
    return andThen(access.read(), (track) => {
      // A read also reports edits of the user, and that they were reported is recorded.
      const asItIs = () =>
        result({ ok: true, duplicate: false, rejected: [], before: track, after: track });
      if (!hasUnseenEdits(track)) return asItIs();
      const reported = andThen(
        write(() => ({ ops: [] })),
        result,
      );
      // If that fails, the list is returned without them, and the next call reports them.
      return reported instanceof Promise ? reported.catch(ifUnavailable(asItIs)) : reported;
    });
  }
  if (offIn !== undefined) return refusal([gated(offIn)]);
  if (planning) return refusal([planModeRejection()]);
  return andThen(
    write((track) => tool.decode(call, track)),
    (outcome) => recorded(result(outcome)),
  );
}

/** Records a refusal, whole or partial. The model gets its answer even if that fails. */
function recordRefusal(
  access: ListAccess,
  answer: ToolResult,
  key: string | undefined,
): Awaitable<ToolResult> {
  if (answer.ok || !access.refused) return answer;
  const given = ifUnavailable(() => answer);
  try {
    const done = access.refused(answer.rejected, { key, partial: answer.partial === true });
    return done instanceof Promise ? done.then(() => answer).catch(given) : answer;
  } catch (error) {
    return given(error);
  }
}

/** A fallback for a store that cannot be written. Any other error is a bug and is thrown. */
function ifUnavailable<T>(fallback: () => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof WaymarkError) return fallback();
    throw error;
  };
}

function readInput(tool: Tool, input: unknown): Read<unknown> {
  const bad = checkValue(input);
  if (bad) return { ok: false, rejected: [bad] };
  const repaired = tool.repair ? tool.repair(input) : input;
  const read = parseInput(tool.input, repaired);
  if (read.ok || !tool.older) return read;
  const older = parseInput(tool.older, repaired);
  return older.ok ? older : read;
}

function resultOf(tool: Tool, call: unknown, outcome: Outcome, access: ListAccess): ToolResult {
  const { ok, rejected } = outcome;
  if (!ok && !tool.answersRefusals) return refusal(rejected);
  const { text, data } = tool.answer(outcome, call, { durable: access.durable });
  const notice = renderUserEdits(outcome, tool.id === "todos");
  const reminder = outcome.duplicate ? undefined : reminderIn(outcome);
  const kept = (outcome.event?.kept ?? []).map(({ id, knownText }) => ({ id, text: knownText }));
  return {
    ok,
    text: joinText(
      [
        notice === "" ? text : withUserEdits(tool, text, data, notice),
        ...(reminder ? [reminder.text] : []),
      ],
      "\n\n",
    ),
    data,
    rejected,
    ...(!ok && outcome.event && { partial: true }),
    ...(kept.length > 0 && !outcome.duplicate && { kept }),
    ...(notice !== "" && { notice }),
    ...(reminder && { reminder }),
  };
}

function reminderIn({ event }: Outcome): Reminder | undefined {
  for (const change of event?.changes ?? [])
    if (change.type === "reminded") return { kind: change.kind, text: change.text, isMeta: true };
  return undefined;
}

function withUserEdits(tool: Tool, text: ModelText, data: unknown, notice: ModelText): ModelText {
  return tool.textIsData ? json({ ...(data as object), notice }) : modelText`${text}\n\n${notice}`;
}
