/**
 * sdk: adapters for agent SDKs (AI SDK, OpenAI, Anthropic, Google, Claude Agent SDK, LangChain, Mastra). Each converts the tools for its
 * SDK and reports messages and calls to the tracker. This file has the common part.
 */
import { fingerprint } from "../core/activity/detect.ts";
import { exitCodeOf } from "../core/activity/evidence/exit-code.ts";
import type { ObservedEvent } from "../core/activity/observation.ts";
import type { Awaitable } from "../core/awaitable.ts";
import type { Op, ReminderKind, ReminderMoment, Track } from "../core/model.ts";
import { isOpen } from "../core/views/view.ts";
import type { ReadyTool, ToolboxOptions } from "../tools/toolbox.ts";
import type { ObserveOptions, ObserveResult } from "../tracker.ts";
import { replayable, writesIn } from "./history.ts";
import { type MessageFormat, openThread, type ParsedMessage } from "./thread.ts";

/** The parts of a tracker that are used. `createTracker` creates one. */
export interface SessionTracker {
  readonly own: {
    read(): Awaitable<Track>;
    submit?(ops: readonly Op[], options: { by: "system"; via: string }): Awaitable<unknown>;
  };
  tools(options?: ToolboxOptions): readonly ReadyTool[];
  observe(seen: readonly ObservedEvent[], options?: ObserveOptions): Awaitable<ObserveResult>;
}

/** The tools of a conversation. */
export interface SessionOptions {
  /** The tools for the model. */
  readonly tools?: ToolboxOptions;
  /** The name that the model sees for the list tool, if it differs. */
  readonly tool?: string;
}

/** One conversation: records its messages as activity and inserts reminders for the model. */
export interface SdkSession<M> {
  readonly tools: readonly ReadyTool[];
  /** Call it before each model call. Returns the messages to send. */
  before<T extends M>(messages: readonly T[]): Promise<T[]>;
  /** Call it when the model stops. Returns the messages to continue with, or undefined if the turn may end. */
  stop<T extends M>(messages: readonly T[]): Promise<T[] | undefined>;
}

/** Reminders of these kinds contain the open todos. */
const WITH_TODOS: ReadonlySet<ReminderKind> = new Set(["recovery", "stale", "stop"]);

export function openSession<M>(
  tracker: SessionTracker,
  shape: MessageFormat<M>,
  { tools: toolbox, tool: toolName }: SessionOptions = {},
): SdkSession<M> {
  const given = tracker.tools(toolbox);
  const names = new Set(given.map(({ name }) => name));
  const tool = toolName ?? given[0]?.name;
  const isListTool = (name: string) => names.has(name) || name === tool;
  const thread = openThread(shape, isListTool);
  /** Refusals that the tools recorded already. Their results also appear in the messages. */
  let refusals = 0;
  const reported = reporter(isListTool, () => refusals > 0 && refusals-- > 0);

  /** The current answer of the model was counted already. */
  let counted = false;
  const count = () => {
    if (counted) return undefined;
    counted = true;
    return tracker.observe([{ type: "message", role: "assistant", text: "" }], { via: "sdk" });
  };
  // An answer appears in the messages of the next call. Its writes come earlier, so they count it.
  const tools = given.map((one) => ({
    ...one,
    execute: async (...call: Parameters<ReadyTool["execute"]>) => {
      // Start both before awaiting, so that writes apply in the order of the calls.
      const counting = count();
      const [result] = await Promise.all([one.execute(...call), counting]);
      if (!result.ok) refusals++;
      return result;
    },
  }));

  const eventsOf = (fresh: readonly ParsedMessage[]) => {
    const events = mergeAnswers(fresh).flatMap(reported);
    const first = counted ? events.findIndex(({ type }) => type === "message") : -1;
    counted = false;
    return first === -1 ? events : events.toSpliced(first, 1);
  };

  const observe = async (seen: readonly ObservedEvent[], moment: ReminderMoment) => {
    // Without a list tool the model gets no reminders.
    const options = { via: "sdk", ...(tool !== undefined && { moment, tool }) };
    const { reminder } = await tracker.observe(seen, options);
    if (reminder) thread.insert(reminder.text, WITH_TODOS.has(reminder.kind));
    return reminder;
  };

  /** Restores the open todos from the conversation, if the list was never written. */
  const restore = async (messages: readonly M[]) => {
    if ((await tracker.own.read()).revision > 0) return;
    const writes = writesIn(messages.map(shape.read), isListTool);
    // Repeat all writes from the first one, so that todos keep the ids that the model has seen.
    for (const { tool: one, call } of replayable(given, writes))
      await one.execute(call.input, { key: `history:${call.id}:${fingerprint(call.input)}` });
    const closed = (await tracker.own.read()).todos.filter((todo) => !isOpen(todo));
    const ops = closed.map(({ id }): Op => ({ op: "remove", target: { any: id } }));
    if (ops.length > 0) await tracker.own.submit?.(ops, { by: "system", via: "history" });
  };

  // The host has its own message type. Reminders are plain text messages, which every such type includes.
  const messagesWithReminders = <T extends M>(): T[] => thread.messages() as T[];
  return {
    tools,
    before: async <T extends M>(messages: readonly T[]) => {
      const { fresh, seesList, lostList, isFirst } = thread.update(messages);
      if (isFirst) await restore(messages);
      const events = eventsOf(fresh);
      if (lostList) events.push({ type: "session.compacted" });
      const begins = isFirst && !seesList;
      const prompt = fresh.at(-1)?.role === "user";
      const moment: ReminderMoment = begins
        ? (await tracker.own.read()).todos.some(isOpen)
          ? "resume"
          : "start"
        : lostList
          ? "compacted"
          : prompt
            ? "prompt"
            : "step";
      await observe(events, moment);
      return messagesWithReminders<T>();
    },
    stop: async <T extends M>(messages: readonly T[]) => {
      const { fresh } = thread.update(messages);
      if (await observe(eventsOf(fresh), "stop")) return messagesWithReminders<T>();
      await tracker.observe([{ type: "turn.completed" }], { via: "sdk" });
      return undefined;
    },
  };
}

/** Merges consecutive messages of the model: some SDKs split one answer into several items. */
function mergeAnswers(messages: readonly ParsedMessage[]): readonly ParsedMessage[] {
  const merged: ParsedMessage[] = [];
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

/** Converts messages into observations. Calls of the list tools are left out, because the tools record them. */
function reporter(
  isListTool: (name: string) => boolean,
  isRecorded: () => boolean,
): (message: ParsedMessage) => ObservedEvent[] {
  const hidden = new Set<string>();
  return ({ role, text, calls, results }) => {
    const events: ObservedEvent[] = [];
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

/** The text of a tool's result, and the exit code of a structured one. */
export function outputOf(output: unknown): { readonly output: string; readonly exitCode?: number } {
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  const exitCode = exitCodeOf(output);
  return { output: text, ...(exitCode !== undefined && { exitCode }) };
}
