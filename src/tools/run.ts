import { type Awaitable, andThen } from "../core/awaitable.ts";
import { WaymarkError } from "../core/error.ts";
import { hasNews } from "../core/guidance/user-edits.ts";
import { planMode } from "../core/list/decide.ts";
import type { Door, WriteRequest } from "../core/list/intent.ts";
import type { Outcome, Rejection, Reminder } from "../core/model.ts";
import { joinText, json, type ModelText, modelText, quote } from "../core/text/model-text.ts";
import { checkValue, parseInput, type Read } from "./input.ts";
import { renderRefusal, renderUserEdits } from "./render.ts";
import type { Tool } from "./tool.ts";

/** What the host knows of a tool call. */
export interface CallOptions {
  /** Unique for the call: the same key never acts twice. */
  readonly key?: string | undefined;
  /** The host is in plan mode, whatever the track says. */
  readonly planMode?: boolean;
  /** The operation during which writes are refused, such as "git commit". */
  readonly offIn?: string | undefined;
}

/** The result of a call of a list tool. */
export interface ToolResult {
  readonly ok: boolean;
  /** What the model gets. */
  readonly text: ModelText;
  readonly data: unknown;
  readonly rejected: readonly Rejection[];
  /** Only a part was refused; the rest was applied. */
  readonly partial?: true;
  /** Todos that stayed as a person set them, against what the call said. */
  readonly kept?: readonly { readonly id: string; readonly text: string }[];
  /** What a person did to the list meanwhile; part of the text, and told with it. */
  readonly notice?: ModelText;
  /** Part of the text, and told with it. */
  readonly reminder?: Reminder;
}

export function refusal(rejected: readonly Rejection[]): ToolResult {
  return { ok: false, text: renderRefusal(rejected), data: null, rejected };
}

/** Refused because the host or the user wants no list writes during an operation. */
export function gated(operation: string): Rejection {
  return {
    code: "gated",
    message: modelText`The list is not written during ${quote(operation, 60)}. Go on without it.`,
  };
}

/** Carries out one call. Bad input never throws and changes nothing. */
export function runTool(
  tool: Tool,
  input: unknown,
  door: Door,
  { key, planMode: planning = false, offIn }: CallOptions = {},
): Awaitable<ToolResult> {
  const checked = readInput(tool, input);
  const noted = (answer: ToolResult) => noteRefusal(door, answer, key);
  if (!checked.ok) return noted(refusal(checked.rejected));
  const call = checked.value;
  const result = (outcome: Outcome) => resultOf(tool, call, outcome, door);
  const write = (decode: WriteRequest["decode"]) =>
    door.write({
      via: tool.name,
      key,
      policy: tool.policy,
      ...(tool.words && { words: tool.words }),
      informs: true,
      ...(tool.nudges && { nudge: true }),
      decode,
    });

  if (tool.reads?.(call)) {
    return andThen(door.read(), (track) => {
      // Whoever reads the list is told what a person did to it; that they were is recorded.
      const asItIs = () =>
        result({ ok: true, duplicate: false, rejected: [], before: track, after: track });
      if (!hasNews(track)) return asItIs();
      const told = andThen(
        write(() => ({ ops: [] })),
        result,
      );
      // Where it cannot be recorded, the list can still be read; they are told the next time.
      return told instanceof Promise ? told.catch(unlessBroken(asItIs)) : told;
    });
  }
  if (offIn !== undefined) return refusal([gated(offIn)]);
  if (planning) return refusal([planMode()]);
  return andThen(
    write((track) => tool.decode(call, track)),
    (outcome) => noted(result(outcome)),
  );
}

/** Records a refusal, whole or partial; where that fails, the model is answered all the same. */
function noteRefusal(
  door: Door,
  answer: ToolResult,
  key: string | undefined,
): Awaitable<ToolResult> {
  if (answer.ok || !door.refused) return answer;
  const given = unlessBroken(() => answer);
  try {
    const done = door.refused(answer.rejected, { key, partial: answer.partial === true });
    return done instanceof Promise ? done.then(() => answer).catch(given) : answer;
  } catch (error) {
    return given(error);
  }
}

/** Goes on without a store that cannot be written; any other failure is a fault and stays one. */
function unlessBroken<T>(otherwise: () => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof WaymarkError) return otherwise();
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

function resultOf(tool: Tool, call: unknown, outcome: Outcome, door: Door): ToolResult {
  const { ok, rejected } = outcome;
  if (!ok && !tool.answersRefusals) return refusal(rejected);
  const { text, data } = tool.answer(outcome, call, { durable: door.durable });
  const notice = renderUserEdits(outcome);
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
