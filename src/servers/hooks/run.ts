/**
 * servers/hooks: events that agents report through their hooks. `run` answers one event, `fold` applies
 * the spooled ones to lists, `attribute` finds the subagent an event belongs to. A failure ends with
 * exit code 0 and a log line: a hook never stops an agent.
 */
import { eventNamed, type HookAgent, listNamed } from "../../agents/common/hooks/agent.ts";
import type { HookEvent } from "../../agents/common/hooks/events.ts";
import { type Fields, text } from "../../agents/common/values.ts";
import { hookAgent } from "../../agents/index.ts";
import { readSituations, type Situation, situationOf } from "../../core/guidance/situation.ts";
import type { Moment, TrackId } from "../../core/model.ts";
import { removeAbandonedParts } from "../../engines/storage/place.ts";
import { spoolEvent } from "../../home/spool.ts";
import { forgetSessions, recordSession } from "../../sessions/caller/session.ts";
import { isProcessAlive } from "../../sessions/caller/session-process.ts";
import { gated } from "../../tools/run.ts";
import type { Tracker } from "../../tracker.ts";
import { createAttribution } from "./attribute.ts";
import { foldSpool } from "./fold.ts";
import { lastWordsIn } from "./last-words.ts";
import { readDue, removeDue } from "./marks.ts";
import { readInput, whoseEvent } from "./read.ts";

export interface HookArguments {
  readonly agent: string;
  readonly event: string;
  /** What the agent sent. */
  readonly json: string;
  /** The agent keeps its list with a tool of its own. */
  readonly native: boolean;
  /** Operations during which that tool is refused. */
  readonly offIn?: string | undefined;
}

export interface HookCall extends HookArguments {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tracker: () => Promise<Tracker>;
  readonly problem: (who: string, what: unknown) => void;
  /** An agent was at work. */
  readonly saw?: (id: TrackId, at: number) => void;
}

/**
 * Records one event and answers it. The event goes through the spool like all others, so that it
 * is not lost where the store cannot be reached in time, and counts once.
 */
export async function runHook(given: HookCall): Promise<unknown> {
  const { home } = given;
  const problem = (what: unknown) => given.problem(`${given.agent} ${given.event}`, what);
  const agent = hookAgent(given.agent);
  const call = inCommonForm(agent, given);
  const event = eventNamed(agent, call.event);
  if (!agent || !event) {
    problem("no such event is known");
    return undefined;
  }
  const input = readInput(call.json);
  const whose = input && whoseEvent(agent, input);
  if (!input || !whose) {
    problem("the input names no session");
    return undefined;
  }
  const off = event.deny && (await offNow(call, agent, input, whose.id));
  // A call that is refused never runs: recorded, it would stay open.
  if (off) return event.deny?.(gated(off).message);
  const { session } = whose.id;
  const json = await withLastWords(agent, event, input, call.json);
  spoolEvent(home, { session, agent: call.agent, event: call.event }, json);
  const starts = isStart(event, input);
  // A notification may come before the first prompt, which is the event that can be answered.
  const isKnown =
    !starts && readDue(home, session) && (event.request || isProcessAlive(home, session));
  const isNew =
    !isKnown && recordSession(home, { session, agentType: agent.agentType, cwd: text(input.cwd) });
  const tracker = await call.tracker();
  await foldSpool(home, tracker, call);
  // Without an event that starts it, a session is resumed with the first prompt of the new process.
  const resumes = isNew && !starts && event.pace === "prompt";
  const moments: readonly Moment[] = [
    ...(resumes ? (["resume"] as const) : []),
    ...momentsOf(agent, event, input),
  ];
  if (moments.length > 0) {
    const attribute = createAttribution(tracker);
    const reported = { agent, name: call.event, event, input, at: Date.now() };
    const { whose: listener } = await attribute(reported);
    if (!listener) return undefined;
    const list = tracker.list(listener.id, listener.origin);
    const tool = toolOf(call, agent, (await list.read()).guide?.listTool);
    const search = agent.defersTools ?? false;
    for (const moment of moments) {
      const { reminder } = await list.observe([], { moment, tool, search });
      if (reminder) return event.answer?.(reminder.text);
    }
  }
  if (event === agent.events.SessionEnd) {
    forgetSessions(home, session);
    removeDue(home, session, Date.now());
    removeAbandonedParts(home);
  }
  return undefined;
}

/** The operation that the agent is in, where its own list tool is refused during it. */
async function offNow(
  call: HookCall,
  agent: HookAgent,
  input: Fields,
  id: TrackId,
): Promise<Situation | undefined> {
  const off = readSituations(call.offIn ?? call.env.WAYMARK_OFF_IN ?? "") ?? [];
  if (off.length === 0 || !listNamed(agent, text(input.tool_name))) return undefined;
  const tracker = await call.tracker();
  await foldSpool(call.home, tracker, call);
  const situation = situationOf((await tracker.list(id).read()).activity);
  return situation && off.includes(situation) ? situation : undefined;
}

/** The spool holds events in the common form only. */
function inCommonForm(agent: HookAgent | undefined, call: HookCall): HookCall {
  if (!agent?.native || eventNamed(agent, call.event)) return call;
  const input = readInput(call.json);
  const common = input && agent.native(call.event, input);
  return common ? { ...call, event: common.event, json: JSON.stringify(common.input) } : call;
}

/** What the model calls its list tool; it has none where ours is off. */
function toolOf(
  { native, env }: HookCall,
  agent: HookAgent,
  used: string | undefined,
): string | undefined {
  if (native) return agent.nativeTool(env, used);
  return env.WAYMARK_TOOLS === "off" ? undefined : agent.tool(env);
}

/** The stop guard is silent after a question, so it must know the last words. */
async function withLastWords(
  agent: HookAgent,
  event: HookEvent,
  input: Fields,
  json: string,
): Promise<string> {
  if (event.pace !== "stop" || input.last_assistant_message !== undefined) return json;
  const transcript = agent.transcript?.(input);
  const words = transcript === undefined ? undefined : await lastWordsIn(transcript);
  if (words === undefined) return json;
  return JSON.stringify({ ...input, last_assistant_message: words });
}

function isStart(event: HookEvent, input: Fields): boolean {
  return event.pace === "ask" && event.moment?.(input) !== undefined;
}

/** The answer to a call of the agent's own list tool is an answer to a write. */
function momentsOf(agent: HookAgent, event: HookEvent, input: Fields): readonly Moment[] {
  // The program ends with the event: what is answered reaches no model and must not be recorded.
  if (input.no_answer === true) return [];
  const moment = event.answer && event.moment?.(input);
  if (moment === undefined) return [];
  const isWrite = moment === "step" && listNamed(agent, text(input.tool_name)) !== undefined;
  return isWrite ? ["write", "step"] : [moment];
}
