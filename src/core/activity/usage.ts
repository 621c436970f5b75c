import type { Todo } from "../model.ts";
import type { Writable } from "../writable.ts";

/** Tokens and requests of a model, as the agent's own records count them. */
export interface Usage {
  /** Input tokens that were neither read from nor written to a cache. */
  readonly input: number;
  /** Output tokens, with those of the reasoning. */
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that the cache keeps for an hour, if the agent reports it: it costs more. */
  readonly cacheWriteHour?: number;
  /** The part of `output` that the model spent on reasoning, if the agent reports it. */
  readonly reasoning: number;
  readonly requests: number;
}

export const NO_USAGE: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  requests: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  const cacheWriteHour = (a.cacheWriteHour ?? 0) + (b.cacheWriteHour ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(cacheWriteHour > 0 && { cacheWriteHour }),
    reasoning: a.reasoning + b.reasoning,
    requests: a.requests + b.requests,
  };
}

/** Usage of a track, split by time, todo and model. The parts add up to the whole. */
export interface TrackUsage {
  /** Oldest first. */
  readonly parts: readonly UsagePart[];
  /** Texts of the todos in `parts` and `focus`, by id: earlier lists are no longer in the track. */
  readonly texts: Readonly<Record<string, string>>;
  /** Which todo was in progress from when on, oldest first: usage of subagents counts for it. */
  readonly focus: readonly Focus[];
}

/** Usage in one quarter of an hour, for one todo and one model. */
export interface UsagePart {
  /** Start of the quarter of an hour, in milliseconds since 1970. */
  readonly at: number;
  /** The todo in progress, by id; absent if there was none. */
  readonly todo?: string;
  /** The model as the agent names it; absent if it does not. */
  readonly model?: string;
  readonly usage: Usage;
}

/** From `at` on, this todo was in progress, or none. */
export interface Focus {
  readonly at: number;
  readonly todo?: string;
}

/** A todo as far as usage is concerned. */
type UsedTodo = Pick<Todo, "id" | "text" | "status" | "startedAt">;

const QUARTER = 15 * 60_000;
/** Bounds what is kept for one track, and with it the time to find a part. */
const MAX_PARTS = 400;
const MAX_FOCUS = 200;

/** The start of the quarter of an hour that contains `at`. */
export function quarterOf(at: number): number {
  return Math.floor(at / QUARTER) * QUARTER;
}

/** The todo that usage counts for: the first one that was in progress at the time. */
function todoInProgress(todos: readonly UsedTodo[], at: number): UsedTodo | undefined {
  for (const todo of todos)
    if (todo.status === "in_progress" && (todo.startedAt ?? 0) <= at) return todo;
  return undefined;
}

/**
 * Adds the usage that the agent reported at `at`, while `todos` was its list. Changes `known` in place if it can:
 * a transcript has many thousands of requests.
 */
export function withUsage(
  known: TrackUsage | undefined,
  { at, model, usage }: { readonly at: number; readonly model?: string; readonly usage: Usage },
  todos: readonly UsedTodo[],
): TrackUsage {
  const todo = todoInProgress(todos, at);
  const quarter = quarterOf(at);
  const last = known?.parts[known.parts.length - 1];
  if (known && last && last.at === quarter && last.todo === todo?.id && last.model === model) {
    addInPlace(last.usage, usage);
    return todo && known.texts[todo.id] !== todo.text
      ? { ...known, texts: withText(known.texts, todo) }
      : known;
  }
  const { parts, texts, focus } = known ?? withFocus(EMPTY, todo?.startedAt ?? at, todos);
  const part: UsagePart = {
    at: quarter,
    ...(todo && { todo: todo.id }),
    ...(model !== undefined && { model }),
    usage: { ...usage },
  };
  return { parts: withPart(parts, part), texts: todo ? withText(texts, todo) : texts, focus };
}

/** A copy that `withUsage` may change. */
export function ownUsage(usage: TrackUsage | undefined): TrackUsage | undefined {
  const last = usage?.parts.at(-1);
  if (!usage || !last) return usage;
  return { ...usage, parts: usage.parts.with(-1, { ...last, usage: { ...last.usage } }) };
}

function addInPlace(sum: Writable<Usage>, usage: Usage): void {
  sum.input += usage.input;
  sum.output += usage.output;
  sum.cacheRead += usage.cacheRead;
  sum.cacheWrite += usage.cacheWrite;
  sum.reasoning += usage.reasoning;
  sum.requests += usage.requests;
  if (usage.cacheWriteHour) sum.cacheWriteHour = (sum.cacheWriteHour ?? 0) + usage.cacheWriteHour;
}

const EMPTY: TrackUsage = { parts: [], texts: {}, focus: [] };

/** Notes which todo is in progress after the list changed. */
export function withFocus(known: TrackUsage, at: number, todos: readonly UsedTodo[]): TrackUsage {
  const todo = todoInProgress(todos, at);
  if (known.focus.at(-1)?.todo === todo?.id) return known;
  const focus = [...known.focus, { at, ...(todo && { todo: todo.id }) }].slice(-MAX_FOCUS);
  const texts = todo ? withText(known.texts, todo) : known.texts;
  return { parts: known.parts, texts: withoutOthers(texts, known.parts, focus), focus };
}

/** The todo that was in progress at a time, by id. */
export function focusAt({ focus }: TrackUsage, at: number): string | undefined {
  return focus.findLast((each) => each.at <= at)?.todo;
}

/**
 * Adds usage of the same agent that other files have. A second file of the agent itself counts only if it continues
 * the first one: otherwise it is a copy. The todos of other files have other ids, so their usage has no todo.
 */
export function withOtherUsage(
  known: TrackUsage | undefined,
  other: TrackUsage | undefined,
  isOwn: boolean,
): TrackUsage | undefined {
  if (!known || !other || known.parts.length === 0) return known ?? other;
  if (isOwn && !isDisjoint(known.parts, other.parts)) return known;
  const added = other.parts.map(({ at, model, usage }) => ({
    at,
    ...(model !== undefined && { model }),
    usage,
  }));
  return { ...known, parts: bounded(merged([...known.parts, ...added])) };
}

function isDisjoint(one: readonly UsagePart[], other: readonly UsagePart[]): boolean {
  const isBefore = (a: readonly UsagePart[], b: readonly UsagePart[]) =>
    (a.at(-1)?.at ?? 0) < (b[0]?.at ?? 0);
  return isBefore(one, other) || isBefore(other, one);
}

/** The same usage with other ids of todos. */
export function withTodoIds(
  { parts, texts, focus }: TrackUsage,
  idOf: (id: string, text: string | undefined) => string,
): TrackUsage {
  const ids = new Map(Object.entries(texts).map(([id, text]) => [id, idOf(id, text)]));
  const renamed = <T extends { readonly todo?: string }>(each: T): T =>
    each.todo === undefined
      ? each
      : { ...each, todo: ids.get(each.todo) ?? idOf(each.todo, undefined) };
  return {
    parts: merged(parts.map(renamed)),
    texts: Object.fromEntries(Object.entries(texts).map(([id, text]) => [ids.get(id) ?? id, text])),
    focus: focus.map(renamed),
  };
}

function withText(texts: TrackUsage["texts"], { id, text }: UsedTodo): TrackUsage["texts"] {
  return texts[id] === text ? texts : { ...texts, [id]: text };
}

function withoutOthers(
  texts: TrackUsage["texts"],
  parts: readonly UsagePart[],
  focus: readonly Focus[],
): TrackUsage["texts"] {
  if (Object.keys(texts).length <= MAX_FOCUS) return texts;
  const used = new Set([...parts, ...focus].map(({ todo }) => todo));
  return Object.fromEntries(Object.entries(texts).filter(([id]) => used.has(id)));
}

/** Records are nearly in order, so the part of a record is among the last ones. */
function withPart(parts: readonly UsagePart[], part: UsagePart): readonly UsagePart[] {
  let place = parts.length;
  for (let index = parts.length - 1; index >= 0; index--) {
    const known = parts[index];
    if (!known || known.at < part.at) break;
    if (known.at > part.at) place = index;
    else if (known.todo === part.todo && known.model === part.model)
      return parts.with(index, { ...known, usage: addUsage(known.usage, part.usage) });
  }
  return bounded(parts.toSpliced(place, 0, part));
}

/**
 * Moves the oldest quarter of an hour into the next one while there are too many parts. If that does not
 * help, the oldest parts lose their todo and count as unattributed. The sums stay the same.
 */
function bounded(parts: readonly UsagePart[]): readonly UsagePart[] {
  const [first] = parts;
  if (!first || parts.length <= MAX_PARTS) return parts;
  const oldest = parts.filter(({ at }) => at === first.at);
  const later = parts.slice(oldest.length);
  const at = later[0]?.at ?? first.at;
  const moved = merged(oldest.map((part) => ({ ...part, at })).concat(later));
  if (moved.length < parts.length) return bounded(moved);
  const half = Math.ceil(parts.length / 2);
  const plain = parts
    .slice(0, half)
    .map(({ usage, model }) => ({ at, usage, ...(model && { model }) }));
  const unattributed = merged([...plain, ...parts.slice(half)]);
  if (unattributed.length < parts.length) return bounded(unattributed);
  const unnamed = parts.slice(0, half).map(({ usage }) => ({ at, usage }));
  return merged([...unnamed, ...parts.slice(half)]);
}

/** Adds up parts of the same time, todo and model. */
function merged(parts: readonly UsagePart[]): readonly UsagePart[] {
  const sums = new Map<string, UsagePart>();
  for (const part of parts) {
    const key = JSON.stringify([part.at, part.todo ?? null, part.model ?? null]);
    const known = sums.get(key);
    sums.set(key, known ? { ...known, usage: addUsage(known.usage, part.usage) } : part);
  }
  return [...sums.values()].sort((a, b) => a.at - b.at);
}
