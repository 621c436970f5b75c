import { setTimeout } from "node:timers/promises";
import { findEvent, findListReader } from "../../agents/common/hooks/agent.ts";
import { callIdOf } from "../../agents/common/hooks/events.ts";
import type { ListReader, ListReading } from "../../agents/common/hooks/lists.ts";
import { type Fields, text } from "../../agents/common/values.ts";
import { findHookAgent } from "../../agents/hooks.ts";
import type { ObservedEvent } from "../../core/activity/observation.ts";
import type { Intent } from "../../core/list/access.ts";
import { PRESETS } from "../../core/list/policy.ts";
import type { Track, TrackId } from "../../core/model.ts";
import { draftsOf } from "../../core/stream/to-write.ts";
import { trackKey } from "../../core/text/ids.ts";
import {
  type Batch,
  batchesInProgress,
  type SpooledEvent,
  takeAbandoned,
  takeBatch,
} from "../../home/spool.ts";
import type { Tracker } from "../../tracker.ts";
import { type Attribution, createAttribution, type ReportedEvent } from "./attribute.ts";
import {
  mainTrackOf,
  NO_SESSION,
  readInput,
  type TrackTarget,
  trackOfEvent,
  UNKNOWN_EVENT,
} from "./input.ts";

const MAX_BATCHES = 100;
/** Milliseconds to wait for batches that other processes are ingesting; after that any process may take them. */
const WAIT_LIMIT = 2_500;
const POLL_INTERVAL = 3;

export interface IngestCallbacks {
  /** Called with the source and the reason for every event that cannot be ingested. */
  onProblem(source: string, problem: unknown): void;
  /** Called for every agent that was active, with the time of its event. */
  onActivity?(id: TrackId, at: number): void;
}

/**
 * Ingests the spooled events, each exactly once across processes, and waits for batches that other processes are
 * ingesting. If the store fails, the rest stays in the spool for the next call. An event that fails is skipped.
 */
export async function ingestSpool(
  home: string,
  tracker: Tracker,
  callbacks: IngestCallbacks,
): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT;
  /** Lists must not go back to an older state: earlier events of a session are ingested first. */
  const olderIngested = async (batch: Batch): Promise<void> => {
    try {
      while (batch.isEarly() && performance.now() < deadline) {
        const abandoned = takeAbandoned(home);
        if (abandoned && abandoned.key !== batch.key && !abandoned.isEarly())
          await ingestBatch(abandoned, tracker, callbacks);
        else await setTimeout(POLL_INTERVAL);
      }
    } catch (error) {
      batch.release();
      throw error;
    }
  };
  let awaited: readonly string[] | undefined;
  for (let count = 0; count < MAX_BATCHES; ) {
    const batch = takeBatch(home);
    if (batch) {
      await olderIngested(batch);
      await ingestBatch(batch, tracker, callbacks);
      count++;
      continue;
    }
    const begun = batchesInProgress(home);
    // Batches that are begun from now on hold later events only.
    awaited = (awaited ?? begun).filter((key) => begun.includes(key));
    if (awaited.length === 0 || performance.now() > deadline) return;
    await setTimeout(POLL_INTERVAL);
  }
}

async function ingestBatch(
  batch: Batch,
  tracker: Tracker,
  { onProblem, onActivity }: IngestCallbacks,
): Promise<void> {
  for (const { who, why } of batch.unread) onProblem(who, why);
  const attribute = createAttribution(tracker);
  const steps: Step[] = [];
  try {
    for (const spooled of batch.events) {
      const event = parseEvent(spooled, onProblem);
      if (event) steps.push(...(await stepsOf(event, attribute, onProblem)));
    }
    for (const [index, group] of grouped(steps).entries())
      await applyStep(tracker, group, `${batch.key}:${index}`, onProblem);
  } catch (error) {
    batch.release();
    throw error;
  }
  for (const { target, at } of steps) onActivity?.(target.id, at);
  batch.remove();
}

type Step = { readonly target: TrackTarget; readonly at: number } & (
  | { readonly seen: readonly ObservedEvent[] }
  | { readonly key: string | undefined; readonly read: (track: Track) => ListReading }
);

function parseEvent(
  { agent: name, event: eventName, text: json, at }: SpooledEvent,
  onProblem: IngestCallbacks["onProblem"],
): ReportedEvent | undefined {
  const source = `${name} ${eventName}`;
  try {
    const agent = findHookAgent(name);
    const input = readInput(json);
    const event = findEvent(agent, eventName);
    if (agent && event && input && trackOfEvent(agent, input))
      return { agent, name: eventName, event, input, at };
    onProblem(source, event ? NO_SESSION : UNKNOWN_EVENT);
  } catch (error) {
    onProblem(source, error);
  }
  return undefined;
}

async function stepsOf(
  reported: ReportedEvent,
  attribute: Attribution,
  onProblem: IngestCallbacks["onProblem"],
): Promise<readonly Step[]> {
  const { agent, name, event, input, at } = reported;
  const { target, ended } = await attribute(reported);
  if (!target) return [];
  const over: readonly Step[] = ended
    ? [{ target: ended, at, seen: [{ type: "turn.completed", at }] }]
    : [];
  try {
    const tool = text(input.tool_name);
    const reader = event.request ? undefined : findListReader(agent, tool);
    if (reader) return event.timing === "step" ? listSteps(reader, target, input, at, tool) : [];
    const seen = event.observe(input).map((body) => ({ ...body, at }));
    return seen.length === 0 ? over : [...over, { target, at, seen }];
  } catch (error) {
    onProblem(`${agent.name} ${name}`, error);
    return over;
  }
}

/** A call of a list tool becomes a list write only, not an observed tool call as well. */
function listSteps(
  reader: ListReader,
  target: TrackTarget,
  input: Fields,
  at: number,
  tool: string | undefined,
): readonly Step[] {
  if ("partial" in reader)
    return [
      {
        target: mainTrackOf(target),
        at,
        key: keyOf(target, input),
        read: (track) => reader.partial(input, track),
      },
    ];
  const read = reader.full(input);
  if (!read) return [];
  const todoId = `${target.id.session}-${target.id.agent}`;
  const seen: ObservedEvent =
    "refused" in read
      ? { type: "warning", code: "list_rejected", message: read.refused, at }
      : { type: "todo_list", todoId, items: read.items, at, ...(tool !== undefined && { tool }) };
  return [{ target, at, seen: [seen] }];
}

function keyOf({ origin }: TrackTarget, input: Fields): string | undefined {
  const callId = callIdOf(input);
  return callId === undefined ? undefined : `${origin.agentType}:${callId}`;
}

type ObservationStep = Extract<Step, { readonly seen: unknown }>;

/** Whether the step has only observations: a list write is a separate event. */
function isObservation(step: Step): step is ObservationStep {
  return "seen" in step && step.seen.every(({ type }) => type !== "todo_list");
}

/** Merges consecutive observations of a track into one event. */
function grouped(steps: readonly Step[]): readonly Step[] {
  const groups: Step[] = [];
  const last = new Map<string, number>();
  for (const step of steps) {
    const key = trackKey(step.target.id);
    const index = last.get(key);
    const former = index === undefined ? undefined : groups[index];
    if (index !== undefined && former && isObservation(former) && isObservation(step))
      groups[index] = { ...step, target: former.target, seen: [...former.seen, ...step.seen] };
    else last.set(key, groups.push(step) - 1);
  }
  return groups;
}

/** Applies a step. If merged observations fail, they are applied one by one and only the failing one is skipped. */
async function applyStep(
  tracker: Tracker,
  step: Step,
  key: string,
  onProblem: IngestCallbacks["onProblem"],
): Promise<void> {
  try {
    await applyToList(tracker, step, key);
  } catch (error) {
    if (!isEventError(error)) throw error;
    const seen = "seen" in step ? step.seen : [];
    if (seen.length < 2) onProblem(step.target.origin.agentType ?? "hook", error);
    else
      for (const [index, each] of seen.entries())
        await applyStep(tracker, { ...step, seen: [each] }, `${key}.${index}`, onProblem);
  }
}

/** Whether our code failed on the event. Failures of a store are other errors, or have a code. */
function isEventError(error: unknown): boolean {
  const isBug = error instanceof RangeError || error instanceof TypeError;
  return isBug && !("code" in error);
}

async function applyToList(tracker: Tracker, step: Step, key: string): Promise<void> {
  const { id, origin } = step.target;
  const { at } = step;
  const via = origin.agentType ?? "hook";
  const list = tracker.list(id, origin);
  if ("seen" in step) await list.observe(step.seen, { key, via, at });
  else
    await list.write({
      via,
      at,
      key: step.key ?? key,
      policy: PRESETS.external,
      decode: (track): Intent => {
        const read = step.read(track);
        if (!read || "refused" in read) return { rejected: [] };
        return { ops: [{ op: "replace", todos: draftsOf(read.items) }] };
      },
    });
}
