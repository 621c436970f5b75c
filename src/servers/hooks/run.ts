/**
 * servers/hooks: handles events that agents report through their hooks. `run` answers one event, `ingest` applies
 * the spooled ones to lists, `attribute` finds the agent that an event belongs to. A failure is logged and the exit
 * code is still 0: a hook never stops an agent.
 */
import { findEvent, findListReader, type HookAgent } from "../../agents/common/hooks/agent.ts";
import type { HookEvent } from "../../agents/common/hooks/events.ts";
import { type Fields, text } from "../../agents/common/values.ts";
import { findHookAgent } from "../../agents/hooks.ts";
import { givenEnvironment } from "../../config/load.ts";
import { collisionsFromEnv } from "../../core/collisions/uses.ts";
import { readSituations, type Situation, situationOf } from "../../core/guidance/situation.ts";
import type { Reminder, ReminderMoment, TrackId } from "../../core/model.ts";
import { removeAbandonedParts } from "../../engines/storage/files.ts";
import { prepareMarks, pruneMarks, removeMarks } from "../../home/edits/marks.ts";
import { spoolEvent } from "../../home/spool.ts";
import { recordSession, removeSessions } from "../../sessions/caller/session.ts";
import { hasEndedProcess, isProcessAlive } from "../../sessions/caller/session-process.ts";
import { gated } from "../../tools/run.ts";
import type { Tracker } from "../../tracker.ts";
import { createAttribution } from "./attribute.ts";
import { noticeCollisions } from "./collisions.ts";
import { readDue, removeDue } from "./due.ts";
import { acceptOffer } from "./handoff.ts";
import { ingestSpool } from "./ingest.ts";
import { NO_SESSION, readInput, trackOfEvent, UNKNOWN_EVENT } from "./input.ts";
import { lastMessageIn } from "./last-message.ts";
import type { StoppingAgent } from "./stop-check.ts";

export interface HookArguments {
  readonly agent: string;
  readonly event: string;
  /** The input from the agent. */
  readonly json: string;
  /** Whether the agent keeps its list with its own tool. */
  readonly native: boolean;
  /** Operations during which that tool is refused, comma-separated. */
  readonly offIn?: string | undefined;
}

export interface HookCall extends HookArguments {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tracker: () => Promise<Tracker>;
  readonly onProblem: (source: string, problem: unknown) => void;
  /** Runs the check that the user wants at a stop; returns the reminder for the agent if it failed. */
  readonly stopCheck?: ((stopping: StoppingAgent) => Promise<Reminder | undefined>) | undefined;
  /** Called for every agent that was active. */
  readonly onActivity?: (id: TrackId, at: number) => void;
}

/**
 * Records one event and answers it. The event goes through the spool, so that it is ingested exactly once and not lost
 * if the store cannot be reached in time.
 */
export async function runHook(given: HookCall): Promise<unknown> {
  const { home } = given;
  const report = (problem: string) => given.onProblem(`${given.agent} ${given.event}`, problem);
  const agent = findHookAgent(given.agent);
  const call = inCommonForm(agent, given);
  const event = findEvent(agent, call.event);
  if (!agent || !event) {
    report(UNKNOWN_EVENT);
    return undefined;
  }
  const input = readInput(call.json);
  const target = input && trackOfEvent(agent, input);
  if (!input || !target) {
    report(NO_SESSION);
    return undefined;
  }
  const at = Date.now();
  const off = event.deny && (await offNow(call, agent, input, target.id));
  // A refused call never runs: if it were recorded, it would stay open.
  if (off) return event.deny?.(gated(off).message);
  const { session } = target.id;
  const json = await withLastMessage(agent, event, input, call.json);
  spoolEvent(home, { session, agent: call.agent, event: call.event }, json);
  const starts = isStart(event, input);
  // A notification may arrive before the first prompt, which is the event that can be answered.
  const isKnown =
    !starts && readDue(home, session) && (event.request || isProcessAlive(home, session));
  const isNew =
    !isKnown && recordSession(home, { session, agentType: agent.agentType, cwd: text(input.cwd) });
  const policy = collisionsFromEnv(call.env);
  const watchesFiles = collisionsFromEnv(givenEnvironment(call.env)).scope !== "off";
  if (isNew && watchesFiles) prepareMarks(home, session);
  const tracker = await call.tracker();
  const ingest = () => ingestSpool(home, tracker, call);
  await ingest();
  const radar = { home, tracker, policy, ingest };
  const denied = await noticeCollisions(radar, { agent, name: call.event, event, input, at });
  if (denied) return event.deny?.(denied.text);
  // Without a start event, the first prompt of a new process resumes the session.
  const resumes = isNew && !starts && event.timing === "prompt";
  const moments: readonly ReminderMoment[] = [
    ...(resumes ? (["resume"] as const) : []),
    ...momentsOf(agent, event, input),
  ];
  if (moments.length > 0) {
    const attribute = createAttribution(tracker);
    const reported = { agent, name: call.event, event, input, at: Date.now() };
    const { target: recipient } = await attribute(reported);
    if (!recipient) return undefined;
    const list = tracker.list(recipient.id, recipient.origin);
    const isMain = recipient.origin.parentAgent === undefined;
    if (event.timing === "stop" && isMain && call.stopCheck) {
      const track = await list.read();
      const cwd = text(input.cwd) ?? track.cwd;
      const isRepeated = input.stop_hook_active === true;
      const failed = cwd !== undefined && (await call.stopCheck({ track, cwd, isRepeated }));
      if (failed) {
        // Recorded, so that the next step does not repeat it.
        await list.observe([], { moment: "stop", given: failed });
        return event.answer?.(failed.text);
      }
    }
    // Some programs report no start, or a notification in its place.
    const isFirstPrompt = event.timing === "prompt" && (await list.read()).guide?.prompts === 1;
    if (moments[0] === "start" || isFirstPrompt) {
      const taken = await acceptOffer(home, tracker, recipient, at);
      if (taken) return event.answer?.(taken.text);
    }
    const tool = toolOf(call, agent, (await list.read()).guide?.listTool);
    const search = agent.defersTools ?? false;
    for (const moment of moments) {
      const { reminder } = await list.observe([], { moment, tool, search });
      if (reminder) return event.answer?.(reminder.text);
    }
  }
  if (event === agent.events.SessionEnd) {
    pruneMarks(home, session, at - policy.window, (each) => hasEndedProcess(home, each));
    removeMarks(home, session);
    removeSessions(home, session);
    removeDue(home, session, Date.now());
    removeAbandonedParts(home);
  }
  return undefined;
}

/** The operation that the agent is in, if its own list tool is refused during that operation. */
async function offNow(
  call: HookCall,
  agent: HookAgent,
  input: Fields,
  id: TrackId,
): Promise<Situation | undefined> {
  const off = readSituations(call.offIn ?? call.env.WAYMARK_OFF_IN ?? "") ?? [];
  if (off.length === 0 || !findListReader(agent, text(input.tool_name))) return undefined;
  const tracker = await call.tracker();
  await ingestSpool(call.home, tracker, call);
  const situation = situationOf((await tracker.list(id).read()).activity);
  return situation && off.includes(situation) ? situation : undefined;
}

/** Converts events of other forms: the spool holds the common form only. */
function inCommonForm(agent: HookAgent | undefined, call: HookCall): HookCall {
  if (!agent?.normalize || findEvent(agent, call.event)) return call;
  const input = readInput(call.json);
  const common = input && agent.normalize(call.event, input);
  return common ? { ...call, event: common.event, json: JSON.stringify(common.input) } : call;
}

/** The name of the model's list tool; undefined if Waymark's tools are off. */
function toolOf(
  { native, env }: HookCall,
  agent: HookAgent,
  used: string | undefined,
): string | undefined {
  if (native) return agent.nativeTool(env, used);
  return env.WAYMARK_TOOLS === "off" ? undefined : agent.waymarkTool(env);
}

/** Adds the agent's last message to a Stop event: after a question to the user, no stop reminder is given. */
async function withLastMessage(
  agent: HookAgent,
  event: HookEvent,
  input: Fields,
  json: string,
): Promise<string> {
  if (event.timing !== "stop" || input.last_assistant_message !== undefined) return json;
  const transcript = agent.transcript?.(input);
  const message = transcript === undefined ? undefined : await lastMessageIn(transcript);
  if (message === undefined) return json;
  return JSON.stringify({ ...input, last_assistant_message: message });
}

function isStart(event: HookEvent, input: Fields): boolean {
  return event.timing === "always" && event.moment?.(input) !== undefined;
}

/** The moments at which a reminder may be given. A call of the agent's own list tool counts as a write. */
function momentsOf(agent: HookAgent, event: HookEvent, input: Fields): readonly ReminderMoment[] {
  // The program ends with the event: no model would see the reminder, so it must not be recorded.
  if (input.no_answer === true) return [];
  const moment = event.answer && event.moment?.(input);
  if (moment === undefined) return [];
  const isWrite = moment === "step" && findListReader(agent, text(input.tool_name)) !== undefined;
  return isWrite ? ["write", "step"] : [moment];
}
