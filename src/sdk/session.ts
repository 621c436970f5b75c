/**
 * sdk: adapters for agent SDKs (AI SDK, OpenAI, Anthropic, Claude Agent SDK, LangChain). Each hands
 * our tools to its SDK and reports messages and calls back to the tracker; `session` has what they
 * share.
 */
import { fingerprint } from "../core/activity/detect.ts";
import { exitCodeOf } from "../core/activity/evidence/exit-code.ts";
import type { Observed } from "../core/activity/observation.ts";
import type { Awaitable } from "../core/awaitable.ts";
import type { Moment, Op, ReminderKind, Track } from "../core/model.ts";
import { isOpen } from "../core/views/view.ts";
import type { ReadyTool, ToolboxOptions } from "../tools/toolbox.ts";
import type { Observance, ObserveOptions } from "../tracker.ts";
import { replayable, writesIn } from "./history.ts";
import { followThread, type MessageShape, type Seen } from "./thread.ts";

/** What is needed of a tracker: `createTracker()` makes one. */
export interface SessionTracker {
  readonly own: {
    read(): Awaitable<Track>;
    submit?(ops: readonly Op[], options: { by: "system"; via: string }): Awaitable<unknown>;
  };
  tools(options?: ToolboxOptions): readonly ReadyTool[];
  observe(seen: readonly Observed[], options?: ObserveOptions): Awaitable<Observance>;
}

/** The tools that the model gets, and their names. */
export interface SessionOptions {
  /** Which tools the model is handed. */
  readonly tools?: ToolboxOptions;
  /** What the model calls the list tool, where that is not its name. */
  readonly tool?: string;
}

/** One agent's conversation: what its messages say is recorded, and the model is told what it should know. */
export interface Session<M> {
  readonly tools: readonly ReadyTool[];
  /** Before each model call: the messages to send. */
  before<T extends M>(messages: readonly T[]): Promise<T[]>;
  /**
   * When the model wants to stop. The messages to go on with, where it is asked to; otherwise the
   * turn has ended.
   */
  stop<T extends M>(messages: readonly T[]): Promise<T[] | undefined>;
}

/** Texts of these kinds show the model its open todos. */
const SHOWING: ReadonlySet<ReminderKind> = new Set(["recovery", "stale", "stop"]);

export function openSession<M>(
  tracker: SessionTracker,
  shape: MessageShape<M>,
  { tools: wanted, tool: named }: SessionOptions = {},
): Session<M> {
  const given = tracker.tools(wanted);
  const names = new Set(given.map(({ name }) => name));
  const tool = named ?? given[0]?.name;
  const isListTool = (name: string) => names.has(name) || name === tool;
  const thread = followThread(shape, isListTool);
  /** Refusals that our own tools recorded: their results come back among the messages. */
  let refusals = 0;
  const reported = reporter(isListTool, () => refusals > 0 && refusals-- > 0);

  /** The answer that is being carried out was counted already. */
  let counted = false;
  const count = () => {
    if (counted) return undefined;
    counted = true;
    return tracker.observe([{ type: "message", role: "assistant", text: "" }], { via: "sdk" });
  };
  // Messages are seen when they are sent back. A write comes earlier, and belongs to its answer.
  const tools = given.map((one) => ({
    ...one,
    execute: async (...call: Parameters<ReadyTool["execute"]>) => {
      // Both are begun before either is waited for: writes apply in the order of the calls.
      const noted = count();
      const [result] = await Promise.all([one.execute(...call), noted]);
      if (!result.ok) refusals++;
      return result;
    },
  }));

  const eventsOf = (fresh: readonly Seen[]) => {
    const events = oneEach(fresh).flatMap(reported);
    const first = counted ? events.findIndex(({ type }) => type === "message") : -1;
    counted = false;
    return first === -1 ? events : events.toSpliced(first, 1);
  };

  const attend = async (seen: readonly Observed[], moment: Moment) => {
    // Whoever has no list tool is not spoken to about the list.
    const options = { via: "sdk", ...(tool !== undefined && { moment, tool }) };
    const { reminder } = await tracker.observe(seen, options);
    if (reminder) thread.say(reminder.text, SHOWING.has(reminder.kind));
    return reminder;
  };

  /** Restores the open todos from the conversation where the list was never written. */
  const restore = async (messages: readonly M[]) => {
    if ((await tracker.own.read()).revision > 0) return;
    const writes = writesIn(messages.map(shape.read), isListTool);
    // Carried out again from the first one, so that todos keep the ids that the model has read.
    for (const { tool: one, call } of replayable(given, writes))
      await one.execute(call.input, { key: `history:${call.id}:${fingerprint(call.input)}` });
    const closed = (await tracker.own.read()).todos.filter((todo) => !isOpen(todo));
    const ops = closed.map(({ id }): Op => ({ op: "remove", target: { any: id } }));
    if (ops.length > 0) await tracker.own.submit?.(ops, { by: "system", via: "history" });
  };

  // A host passes messages of its own type; our texts are plain messages, which every type has.
  const woven = <T extends M>(): T[] => thread.woven() as T[];
  return {
    tools,
    before: async <T extends M>(messages: readonly T[]) => {
      const { fresh, sees, lost, first } = thread.look(messages);
      if (first) await restore(messages);
      const events = eventsOf(fresh);
      if (lost) events.push({ type: "session.compacted" });
      const begins = first && !sees;
      const prompt = fresh.at(-1)?.role === "user";
      const moment: Moment = begins
        ? (await tracker.own.read()).todos.some(isOpen)
          ? "resume"
          : "start"
        : lost
          ? "compacted"
          : prompt
            ? "prompt"
            : "step";
      await attend(events, moment);
      return woven<T>();
    },
    stop: async <T extends M>(messages: readonly T[]) => {
      const { fresh } = thread.look(messages);
      if (await attend(eventsOf(fresh), "stop")) return woven<T>();
      await tracker.observe([{ type: "turn.completed" }], { via: "sdk" });
      return undefined;
    },
  };
}

/** One message for each answer of the model: some SDKs write its parts as items of their own. */
function oneEach(messages: readonly Seen[]): readonly Seen[] {
  const merged: Seen[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role !== "assistant" || message.role !== "assistant") merged.push(message);
    else
      merged[merged.length - 1] = {
        ...last,
        text: [last.text, message.text].filter((text) => text !== "").join("\n"),
        calls: [...last.calls, ...message.calls],
        results: [...last.results, ...message.results],
      };
  }
  return merged;
}

/** What messages say happened. Calls of the list tools are no news: the list itself is. */
function reporter(
  isListTool: (name: string) => boolean,
  isRecorded: () => boolean,
): (message: Seen) => Observed[] {
  const hidden = new Set<string>();
  return ({ role, text, calls, results }) => {
    const events: Observed[] = [];
    if (role === "user") events.push({ type: "turn.started", prompt: text });
    if (role === "assistant") events.push({ type: "message", role, text });
    for (const { id, name, input } of calls) {
      if (isListTool(name)) hidden.add(id);
      else events.push({ type: "tool.started", callId: id, name, input });
    }
    for (const { id, output, failed, exitCode } of results) {
      if (hidden.delete(id)) {
        if (failed && !isRecorded())
          events.push({ type: "warning", code: "list_rejected", message: output });
        continue;
      }
      events.push({
        type: failed ? "tool.failed" : "tool.completed",
        callId: id,
        output,
        ...(exitCode !== undefined && { exitCode }),
      });
    }
    return events;
  };
}

/** A tool's result as text, and the exit code of a structured one. */
export function outputOf(output: unknown): { readonly output: string; readonly exitCode?: number } {
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  const exitCode = exitCodeOf(output);
  return { output: text, ...(exitCode !== undefined && { exitCode }) };
}
