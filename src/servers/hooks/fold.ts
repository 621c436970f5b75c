import { setTimeout } from "node:timers/promises";
import { eventNamed, listNamed } from "../../agents/common/hooks/agent.ts";
import type { ListReader, Reading } from "../../agents/common/hooks/lists.ts";
import { type Fields, text } from "../../agents/common/values.ts";
import { hookAgent } from "../../agents/index.ts";
import type { Observed } from "../../core/activity/observation.ts";
import type { Intent } from "../../core/list/intent.ts";
import { PRESETS } from "../../core/list/policy.ts";
import type { Track, TrackId } from "../../core/model.ts";
import { draftsOf } from "../../core/stream/to-write.ts";
import { trackKey } from "../../core/text/ids.ts";
import { type Batch, begunBatches, type SpooledEvent, takeBatch } from "../../home/spool.ts";
import type { Tracker } from "../../tracker.ts";
import { type Attribution, createAttribution, type Reported } from "./attribute.ts";
import { mainOf, readInput, type Whose, whoseEvent } from "./read.ts";

const MOST_BATCHES = 100;
/** For others who take events in; what they have not finished by then is free for all. */
const PATIENCE = 2_500;
const LOOK = 3;

export interface FoldTold {
  /** Told of what cannot be read. */
  problem(who: string, what: unknown): void;
  /** Told of every agent that was at work, and when it last was. */
  saw?(id: TrackId, at: number): void;
}

/**
 * Takes in what waits in the spool, each event once, whoever else does the same, and what others
 * have begun to take in is in as well when it ends. A store that fails stops it, and what is left
 * comes next time; an event that fails stops no other.
 */
export async function foldSpool(home: string, tracker: Tracker, told: FoldTold): Promise<void> {
  const until = performance.now() + PATIENCE;
  let awaited: readonly string[] | undefined;
  for (let count = 0; count < MOST_BATCHES; ) {
    const batch = takeBatch(home);
    if (batch) {
      await foldBatch(batch, tracker, told);
      count++;
      continue;
    }
    const begun = begunBatches(home);
    // What is begun from now on happened later than what was asked for.
    awaited = (awaited ?? begun).filter((key) => begun.includes(key));
    if (awaited.length === 0 || performance.now() > until) return;
    await setTimeout(LOOK);
  }
}

async function foldBatch(
  batch: Batch,
  tracker: Tracker,
  { problem, saw }: FoldTold,
): Promise<void> {
  for (const { who, why } of batch.unread) problem(who, why);
  const attribute = createAttribution(tracker);
  const steps: Step[] = [];
  try {
    for (const waiting of batch.events) {
      const event = reportedIn(waiting, problem);
      if (event) steps.push(...(await stepsOf(event, attribute, problem)));
    }
    for (const [place, group] of grouped(steps).entries())
      await tryOut(tracker, group, `${batch.key}:${place}`, problem);
  } catch (error) {
    batch.giveBack();
    throw error;
  }
  for (const { whose, at } of steps) saw?.(whose.id, at);
  batch.remove();
}

type Step = { readonly whose: Whose; readonly at: number } & (
  | { readonly seen: readonly Observed[] }
  | { readonly key: string | undefined; readonly read: (track: Track) => Reading }
);

function reportedIn(
  { agent: name, event: called, text: json, at }: SpooledEvent,
  problem: FoldTold["problem"],
): Reported | undefined {
  const who = `${name} ${called}`;
  try {
    const agent = hookAgent(name);
    const input = readInput(json);
    const event = eventNamed(agent, called);
    if (agent && event && input && whoseEvent(agent, input))
      return { agent, name: called, event, input, at };
    problem(who, event ? "the input names no session" : "no such event is known");
  } catch (error) {
    problem(who, error);
  }
  return undefined;
}

async function stepsOf(
  reported: Reported,
  attribute: Attribution,
  problem: FoldTold["problem"],
): Promise<readonly Step[]> {
  const { agent, name, event, input, at } = reported;
  const { whose, ended } = await attribute(reported);
  if (!whose) return [];
  const over: readonly Step[] = ended
    ? [{ whose: ended, at, seen: [{ type: "turn.completed", at }] }]
    : [];
  try {
    const tool = text(input.tool_name);
    const reader = event.request ? undefined : listNamed(agent, tool);
    if (reader) return event.pace === "step" ? listSteps(reader, whose, input, at, tool) : [];
    const seen = event.observe(input).map((body) => ({ ...body, at }));
    return seen.length === 0 ? over : [...over, { whose, at, seen }];
  } catch (error) {
    problem(`${agent.name} ${name}`, error);
    return over;
  }
}

/** A call of a list tool is told as a write of the list and as nothing else. */
function listSteps(
  reader: ListReader,
  whose: Whose,
  input: Fields,
  at: number,
  tool: string | undefined,
): readonly Step[] {
  if ("part" in reader)
    return [
      {
        whose: mainOf(whose),
        at,
        key: keyOf(whose, input),
        read: (track) => reader.part(input, track),
      },
    ];
  const read = reader.whole(input);
  if (!read) return [];
  const todoId = `${whose.id.session}-${whose.id.agent}`;
  const seen: Observed =
    "refused" in read
      ? { type: "warning", code: "list_rejected", message: read.refused, at }
      : { type: "todo_list", todoId, items: read.items, at, ...(tool !== undefined && { tool }) };
  return [{ whose, at, seen: [seen] }];
}

function keyOf({ origin }: Whose, input: Fields): string | undefined {
  const callId = text(input.tool_use_id);
  return callId === undefined ? undefined : `${origin.agentType}:${callId}`;
}

type Watched = Extract<Step, { readonly seen: unknown }>;

/** Observations only: a list that the agent wrote is an event of its own, at its own time. */
function isWatched(step: Step): step is Watched {
  return "seen" in step && step.seen.every(({ type }) => type !== "todo_list");
}

/** What was seen of one track without a write between is kept as one event. */
function grouped(steps: readonly Step[]): readonly Step[] {
  const groups: Step[] = [];
  const last = new Map<string, number>();
  for (const step of steps) {
    const key = trackKey(step.whose.id);
    const place = last.get(key);
    const former = place === undefined ? undefined : groups[place];
    if (place !== undefined && former && isWatched(former) && isWatched(step))
      groups[place] = { ...step, whose: former.whose, seen: [...former.seen, ...step.seen] };
    else last.set(key, groups.push(step) - 1);
  }
  return groups;
}

/** Of what was seen together, only the event that fails is passed over. */
async function tryOut(
  tracker: Tracker,
  step: Step,
  place: string,
  problem: FoldTold["problem"],
): Promise<void> {
  try {
    await carryOut(tracker, step, place);
  } catch (error) {
    if (!isOfTheEvent(error)) throw error;
    const seen = "seen" in step ? step.seen : [];
    if (seen.length < 2) problem(step.whose.origin.agentType ?? "hook", error);
    else
      for (const [index, each] of seen.entries())
        await tryOut(tracker, { ...step, seen: [each] }, `${place}.${index}`, problem);
  }
}

/** A store that fails says so with a code or in words of its own; code that cannot cope does not. */
function isOfTheEvent(error: unknown): boolean {
  const isCode = error instanceof RangeError || error instanceof TypeError;
  return isCode && !("code" in error);
}

async function carryOut(tracker: Tracker, step: Step, place: string): Promise<void> {
  const { id, origin } = step.whose;
  const { at } = step;
  const via = origin.agentType ?? "hook";
  const list = tracker.list(id, origin);
  if ("seen" in step) await list.observe(step.seen, { key: place, via, at });
  else
    await list.write({
      via,
      at,
      key: step.key ?? place,
      policy: PRESETS.foreign,
      decode: (track): Intent => {
        const read = step.read(track);
        if (!read || "refused" in read) return { rejected: [] };
        return { ops: [{ op: "replace", todos: draftsOf(read.items) }] };
      },
    });
}
