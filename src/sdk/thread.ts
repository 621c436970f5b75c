import { fingerprint } from "../core/activity/detect.ts";
import type { ModelText } from "../core/text/model-text.ts";

/** A message of any SDK, in the common format. */
export interface ParsedMessage {
  readonly role: "user" | "assistant" | "tool" | "other";
  readonly text: string;
  readonly calls: readonly ParsedCall[];
  readonly results: readonly ParsedResult[];
}

export interface ParsedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ParsedResult {
  readonly id: string;
  readonly output: string;
  readonly failed: boolean;
  readonly exitCode?: number;
}

export function parsedMessage(
  role: ParsedMessage["role"],
  parts: Partial<ParsedMessage> = {},
): ParsedMessage {
  return { role, text: "", calls: [], results: [], ...parts };
}

/** Converts the messages of an SDK. */
export interface MessageFormat<M> {
  read(message: M): ParsedMessage;
  /** Creates a message with a text for the model. */
  create(text: ModelText): M;
}

/** A message that was inserted after a message of the host. */
interface Insertion<M> {
  readonly text: string;
  readonly message: M;
  /** The fingerprint and index of the message before it. */
  readonly after: string;
  readonly at: number;
  readonly showsList: boolean;
}

export interface ThreadUpdate {
  /** The messages since the last update. The messages of the first update are history. */
  readonly fresh: readonly ParsedMessage[];
  /** The model can see its list: in a call of its list tool, or in an inserted message. */
  readonly seesList: boolean;
  /** The model could see its list until messages were removed. */
  readonly lostList: boolean;
  readonly isFirst: boolean;
}

export interface Thread<M> {
  update(messages: readonly M[]): ThreadUpdate;
  /** Inserts a message after the last message of the host. */
  insert(text: ModelText, showsList: boolean): void;
  /** The messages of the host and the inserted ones. */
  messages(): M[];
}

/**
 * Follows a conversation whose messages belong to the host. An inserted message keeps its position in every later
 * request. Otherwise the model would forget it, and prompt caches would miss.
 */
export function openThread<M>(
  { read, create }: MessageFormat<M>,
  isListTool: (name: string) => boolean,
): Thread<M> {
  let messages: readonly M[] = [];
  let fingerprints: readonly string[] = [];
  let insertions: readonly Insertion<M>[] = [];
  /** All inserted texts, and whether they show the list. A host may keep them among its own messages. */
  const inserted = new Map<string, boolean>();
  let isFirst = true;
  let sawList = false;

  const readMessage = (message: M): ParsedMessage => {
    const one = read(message);
    return one.role === "user" && inserted.has(one.text) ? { ...one, role: "other" } : one;
  };

  const indexOf = (after: string, at: number) =>
    fingerprints[at] === after ? at : fingerprints.lastIndexOf(after);

  /** The messages after the last known one. If no message is known, only a prompt at the end. */
  const freshOf = (all: readonly ParsedMessage[], before: readonly string[]) => {
    const end = before.length - 1;
    const hasGrown = end >= 0 && fingerprints[end] === before[end];
    const old = new Set(before);
    const known = hasGrown ? end : fingerprints.findLastIndex((one) => old.has(one));
    return known === -1
      ? all.slice(-1).filter(({ role }) => role === "user")
      : all.slice(known + 1);
  };

  return {
    update: (given) => {
      const all = given.map(readMessage);
      const kept = new Set(all.filter(({ text }) => inserted.has(text)).map(({ text }) => text));
      const before = fingerprints;
      messages = [...given];
      fingerprints = all.map(fingerprint);
      insertions = insertions.filter(
        ({ text, after, at }) => !kept.has(text) && indexOf(after, at) !== -1,
      );
      const fresh = freshOf(all, before);
      const seesList =
        insertions.some(({ showsList }) => showsList) ||
        [...kept].some((text) => inserted.get(text)) ||
        all.some(({ calls }) => calls.some(({ name }) => isListTool(name)));
      const update = { fresh, seesList, lostList: sawList && !seesList, isFirst };
      sawList = seesList;
      isFirst = false;
      return update;
    },
    insert: (text, showsList) => {
      const at = fingerprints.length - 1;
      const after = fingerprints[at];
      if (after === undefined) return;
      insertions = [...insertions, { text, message: create(text), after, at, showsList }];
      inserted.set(text, showsList);
      sawList ||= showsList;
    },
    messages: () => {
      const byIndex = new Map<number, M[]>();
      for (const { message, after, at } of insertions) {
        const index = indexOf(after, at);
        byIndex.set(index, [...(byIndex.get(index) ?? []), message]);
      }
      return messages.flatMap((message, index) => [message, ...(byIndex.get(index) ?? [])]);
    },
  };
}
