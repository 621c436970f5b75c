import { fingerprint } from "../core/activity/detect.ts";
import type { ModelText } from "../core/text/model-text.ts";

/** A message as far as it matters here, whatever SDK it is of. */
export interface Seen {
  readonly role: "user" | "assistant" | "tool" | "other";
  readonly text: string;
  readonly calls: readonly SeenCall[];
  readonly results: readonly SeenResult[];
}

export interface SeenCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface SeenResult {
  readonly id: string;
  readonly output: string;
  readonly failed: boolean;
  readonly exitCode?: number;
}

export function seen(role: Seen["role"], parts: Partial<Seen> = {}): Seen {
  return { role, text: "", calls: [], results: [], ...parts };
}

/** How an SDK writes its messages. */
export interface MessageShape<M> {
  read(message: M): Seen;
  /** Something that the model is told, as a message of its own. */
  say(text: ModelText): M;
}

/** What was said, and the message after which it stands. */
interface Saying<M> {
  readonly text: string;
  readonly message: M;
  readonly after: string;
  readonly at: number;
  readonly showsList: boolean;
}

export interface Look {
  /** What came since the last look. What was there before the first is history. */
  readonly fresh: readonly Seen[];
  /** The model has its list before its eyes: a call of its own, or what it was told. */
  readonly sees: boolean;
  /** It had, until messages were taken away. */
  readonly lost: boolean;
  readonly first: boolean;
}

export interface Thread<M> {
  look(messages: readonly M[]): Look;
  /** Puts something behind the last of the messages that were looked at. */
  say(text: ModelText, showsList: boolean): void;
  /** The messages that were looked at, with everything that was said in its place. */
  woven(): M[];
}

/**
 * Follows a conversation whose messages belong to the host. What the model is told must stay where
 * it was told, in every later request: otherwise it forgets it, and no prompt cache fits.
 */
export function followThread<M>(
  { read, say }: MessageShape<M>,
  isListTool: (name: string) => boolean,
): Thread<M> {
  let messages: readonly M[] = [];
  let prints: readonly string[] = [];
  let sayings: readonly Saying<M>[] = [];
  /** Everything said, and whether it shows the list: a host may keep it among its own messages. */
  const said = new Map<string, boolean>();
  let first = true;
  let saw = false;

  const readOwn = (message: M): Seen => {
    const one = read(message);
    return one.role === "user" && said.has(one.text) ? { ...one, role: "other" } : one;
  };

  const placeOf = (after: string, at: number) =>
    prints[at] === after ? at : prints.lastIndexOf(after);

  /** What comes after the last message that was there before; where there is none, only a prompt. */
  const freshOf = (all: readonly Seen[], before: readonly string[]) => {
    const end = before.length - 1;
    const grown = end >= 0 && prints[end] === before[end];
    const old = new Set(before);
    const known = grown ? end : prints.findLastIndex((print) => old.has(print));
    return known === -1
      ? all.slice(-1).filter(({ role }) => role === "user")
      : all.slice(known + 1);
  };

  return {
    look: (given) => {
      const all = given.map(readOwn);
      const kept = new Set(all.filter(({ text }) => said.has(text)).map(({ text }) => text));
      const before = prints;
      messages = [...given];
      prints = all.map(fingerprint);
      sayings = sayings.filter(
        ({ text, after, at }) => !kept.has(text) && placeOf(after, at) !== -1,
      );
      const fresh = freshOf(all, before);
      const sees =
        sayings.some(({ showsList }) => showsList) ||
        [...kept].some((text) => said.get(text)) ||
        all.some(({ calls }) => calls.some(({ name }) => isListTool(name)));
      const look = { fresh, sees, lost: saw && !sees, first };
      saw = sees;
      first = false;
      return look;
    },
    say: (text, showsList) => {
      const at = prints.length - 1;
      const after = prints[at];
      if (after === undefined) return;
      sayings = [...sayings, { text, message: say(text), after, at, showsList }];
      said.set(text, showsList);
      saw ||= showsList;
    },
    woven: () => {
      const behind = new Map<number, M[]>();
      for (const { message, after, at } of sayings) {
        const place = placeOf(after, at);
        behind.set(place, [...(behind.get(place) ?? []), message]);
      }
      return messages.flatMap((message, index) => [message, ...(behind.get(index) ?? [])]);
    },
  };
}
