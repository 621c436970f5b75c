import type { HookWish, Wish } from "../agents/common/setup/wish.ts";
import { WaymarkError } from "../core/error.ts";
import {
  type Format,
  isObject,
  type Path,
  sameValue,
  type Value,
  valueAt,
} from "./edit/document.ts";
import { grantEntry, isMade, revokeEntry, startIsOurs, type WrittenEntry } from "./entry.ts";
import {
  commandOf,
  groupsOfSetup,
  hooksOf,
  runsHook,
  type WrittenHook,
  wantedCommand,
  without as withoutHooks,
  writtenIn,
} from "./hook-groups.ts";
import { blocked, isFulfilled, isOfSetup, listAt } from "./wishes.ts";

/** The entries and hooks of a file that setup wrote. All others belong to the user, whatever their name or command. */
export interface Written {
  readonly entries: readonly WrittenEntry[];
  readonly hooks: readonly WrittenHook[];
}

export const NOTHING_WRITTEN: Written = { entries: [], hooks: [] };

/** The values that setup changed in a file, and the entries and hooks that it wrote. */
export interface Memory extends Written {
  /** Settings, with the value that they had; without one they were not there. */
  readonly settings: readonly { readonly path: Path; readonly value?: Value }[];
  /** Members of lists that were there already. */
  readonly members: readonly { readonly path: Path; readonly value: string }[];
  /** Objects and lists that were there, and stay even when nothing is left in them. */
  readonly containers: readonly Path[];
}

/** A memory without the values from before setup. */
export function withoutHistory(written: Written): Memory {
  return { ...written, settings: [], members: [], containers: [] };
}

/** Entries and hooks in exactly the form that setup writes, for files without a receipt. */
export function lookAlikes(data: Value, wishes: readonly Wish[]): Written {
  const byPath = new Map(wishes.map((wish) => [`${wish.kind} ${wish.path.join("\0")}`, wish]));
  const found = [...byPath.values()];
  return {
    entries: found.flatMap((wish) => {
      const value = valueAt(data, wish.path);
      return wish.kind === "entry" && isOfSetup(wish, value) ? [{ path: wish.path, value }] : [];
    }),
    hooks: found.flatMap((wish) =>
      wish.kind === "hook" ? groupsOfSetup(listAt(data, wish.path), wish) : [],
    ),
  };
}

/** Every wish that any way of setting up this file may have had. */
export function remember(data: Value, wishes: readonly Wish[], written: Written): Memory {
  const containers = new Map<string, Path>();
  for (const { path } of wishes)
    for (let length = 1; length <= path.length; length++) {
      const container = path.slice(0, length);
      const there = valueAt(data, container);
      if (isObject(there) || Array.isArray(there)) containers.set(container.join("\0"), container);
    }
  return {
    ...written,
    settings: wishes.flatMap((wish) => {
      if (wish.kind !== "setting") return [];
      const around = wish.path.slice(0, -1);
      const word = wish.around === undefined ? undefined : valueAt(data, around);
      if (typeof word === "string") return [{ path: around, value: word }];
      const value = valueAt(data, wish.path);
      return value === undefined ? [{ path: wish.path }] : [{ path: wish.path, value }];
    }),
    members: wishes.flatMap((wish) =>
      wish.kind === "member" && listAt(data, wish.path).includes(wish.value)
        ? [{ path: wish.path, value: wish.value }]
        : [],
    ),
    containers: [...containers.values()],
  };
}

/**
 * Whether a file shows that we were there. A setting or a member of a list alone does not: the user may
 * have wished the same.
 */
export function isMarked(data: Value, { entries, hooks }: Written): boolean {
  return (
    entries.some((entry) => isMade(entry) && isObject(valueAt(data, entry.path))) ||
    hooks.some(({ path, command }) =>
      listAt(data, path).some((group) =>
        hooksOf(group).some((hook) => commandOf(hook) === command),
      ),
    )
  );
}

interface Place {
  readonly format: Format;
  readonly file: string;
  /** Checks the programs of the user's hooks. */
  exists?(path: string): boolean;
}

/** Fulfills wishes, after removing the entries and hooks of other modes. */
export function fulfil(
  text: string,
  place: Place,
  wishes: readonly Wish[],
  others: readonly Wish[],
  memory: Memory,
): { readonly text: string; readonly written: Written } {
  const { format, file } = place;
  const entries: WrittenEntry[] = [];
  const hooks: WrittenHook[] = [];
  let now = clearStale(text, place, wishes, others, memory);
  // Entries of another mode that the user changed stay.
  for (const entry of memory.entries)
    if (!wishes.some((wish) => wish.kind === "entry" && sameValue(wish.path, entry.path)))
      if (startIsOurs(valueAt(format.read(now, file), entry.path), entry)) entries.push(entry);
  for (const wish of wishes) {
    const data = format.read(now, file);
    if (wish.kind === "hook") {
      const granted = grantHook(now, data, place, wish, memory);
      now = granted.text;
      if (granted.ours) hooks.push({ path: wish.path, command: wantedCommand(wish) });
    } else if (wish.kind === "entry") {
      if (blocked(data, wish.path)) throw inTheWay(file, wish.path, data);
      const granted = grantEntry(now, data, format, wish, writtenAt(memory, wish.path));
      now = granted.text;
      if (granted.written) entries.push(granted.written);
    } else if (!isFulfilled(data, wish)) now = grant(now, data, place, wish);
  }
  return { text: now, written: { entries, hooks } };
}

export function writtenAt({ entries }: Written, path: Path): WrittenEntry | undefined {
  return entries.find((each) => sameValue(each.path, path));
}

/** Updates entries of setup that the user added to: they stay after a removal. */
export function refresh(text: string, place: Place, wishes: readonly Wish[], was: Written): string {
  return wishes.reduce((now, wish) => {
    const written = wish.kind === "entry" ? writtenAt(was, wish.path) : undefined;
    if (wish.kind !== "entry" || !isMade(written)) return now;
    const data = place.format.read(now, place.file);
    if (valueAt(data, wish.path) === undefined) return now;
    return grantEntry(now, data, place.format, wish, written).text;
  }, text);
}

/** Removes the entries, hooks, settings and members of other modes. */
function clearStale(
  text: string,
  place: Place,
  wishes: readonly Wish[],
  others: readonly Wish[],
  memory: Memory,
): string {
  const gone = <T extends { readonly path: Path }>(kind: Wish["kind"], all: readonly T[]) =>
    all.filter(
      ({ path }) => !wishes.some((wish) => wish.kind === kind && sameValue(wish.path, path)),
    );
  const stale = others.filter((other) => !wishes.some((wish) => sameTarget(wish, other)));
  const written = { entries: gone("entry", memory.entries), hooks: gone("hook", memory.hooks) };
  return clear(text, place, stale, { ...memory, ...written });
}

function sameTarget(wish: Wish, other: Wish): boolean {
  if (wish.kind !== other.kind || !sameValue(wish.path, other.path)) return false;
  return wish.kind !== "member" || sameValue(wish.value, other.value);
}

function grant(
  text: string,
  data: Value,
  { format, file }: Place,
  wish: Wish & { readonly kind: "setting" | "member" },
): string {
  const { path, value } = wish;
  const around = path.slice(0, -1);
  if (wish.kind === "setting" && wish.around !== undefined) {
    const word = valueAt(data, around);
    if (typeof word === "string")
      return format.set(text, around, { [wish.around]: word, [path.at(-1) ?? ""]: value });
  }
  if (blocked(data, path)) throw inTheWay(file, path, data);
  if (wish.kind === "setting") return format.set(text, path, value);
  const there = valueAt(data, path);
  if (there !== undefined && !Array.isArray(there)) throw notAList(file, path);
  return format.append(text, path, value);
}

/** Adds the hook, unless the user has one that runs Waymark for the event. */
function grantHook(
  text: string,
  data: Value,
  place: Place,
  wish: HookWish,
  memory: Written,
): { readonly text: string; readonly ours: boolean } {
  const { path, value } = wish;
  if (blocked(data, path)) throw inTheWay(place.file, path, data);
  const there = valueAt(data, path);
  if (there !== undefined && !Array.isArray(there)) throw notAList(place.file, path);
  const list = listAt(data, path);
  const ours = writtenIn(list, commandsAt(memory, path));
  if (withoutHooks(list, ours).some((group) => runsHook(group, wish, place.exists)))
    return { text: dropHooks(text, data, place, path, memory), ours: false };
  const [only, ...more] = ours;
  if (more.length === 0 && only?.command === wantedCommand(wish)) return { text, ours: true };
  const cleared = dropHooks(text, data, place, path, memory);
  return { text: place.format.append(cleared, path, value), ours: true };
}

function commandsAt({ hooks }: Written, path: Path): readonly string[] {
  return hooks.filter((each) => sameValue(each.path, path)).map(({ command }) => command);
}

function dropHooks(
  text: string,
  data: Value,
  { format }: Place,
  path: Path,
  memory: Written,
): string {
  return writtenIn(listAt(data, path), commandsAt(memory, path)).reduce(
    (now, { group, hook }) =>
      hook === undefined
        ? format.drop(now, path, group)
        : format.drop(now, [...path, String(group), "hooks"], hook),
    text,
  );
}

/** Removes entries and hooks of setup, restores settings and members, and deletes emptied containers. */
export function clear(text: string, place: Place, wishes: readonly Wish[], memory: Memory): string {
  const { format, file } = place;
  let now = text;
  const step = (path: Path, take: (data: Value) => string) => {
    const next = take(format.read(now, file));
    if (next !== now) now = prune(next, place, path, memory);
  };
  for (const entry of memory.entries)
    step(entry.path.slice(0, -1), (data) => revokeEntry(now, data, format, entry));
  for (const { path } of memory.hooks)
    step(path, (data) => dropHooks(now, data, place, path, memory));
  for (const wish of wishes)
    if (wish.kind === "member")
      step(wish.path, (data) => revokeMember(now, data, place, wish, memory));
    else if (wish.kind === "setting")
      step(wish.path.slice(0, -1), (data) => putBack(now, data, place, wish, memory));
  return now;
}

function revokeMember(
  text: string,
  data: Value,
  { format }: Place,
  { path, value }: Wish & { readonly kind: "member" },
  memory: Memory,
): string {
  if (memory.members.some((each) => each.value === value && sameValue(each.path, path)))
    return text;
  const index = listAt(data, path).lastIndexOf(value);
  return index === -1 ? text : format.drop(text, path, index);
}

/** A setting that is still as we made it becomes what it was. */
function putBack(
  text: string,
  data: Value,
  { format }: Place,
  { path, value, around }: Wish & { readonly kind: "setting" },
  memory: Memory,
): string {
  if (!sameValue(valueAt(data, path), value)) return text;
  const parent = path.slice(0, -1);
  const word = memory.settings.find((each) => sameValue(each.path, parent))?.value;
  if (around !== undefined && word !== undefined) {
    const ours = { [around]: word, [path.at(-1) ?? ""]: value };
    return sameValue(valueAt(data, parent), ours)
      ? format.set(text, parent, word)
      : format.unset(text, path);
  }
  const before = memory.settings.find((each) => sameValue(each.path, path))?.value;
  if (before === undefined) return format.unset(text, path);
  return sameValue(before, value) ? text : format.set(text, path, before);
}

function prune(text: string, { format, file }: Place, path: Path, memory: Memory): string {
  let now = text;
  for (let length = path.length; length > 0; length--) {
    const container = path.slice(0, length);
    const there = valueAt(format.read(now, file), container);
    const empty = Array.isArray(there)
      ? there.length === 0
      : isObject(there) && Object.keys(there).length === 0;
    if (!empty || memory.containers.some((each) => sameValue(each, container))) return now;
    now = format.unset(now, container);
  }
  return now;
}

/**
 * The user's part of a file: its content without the entries and hooks of setup, settings and members. It is
 * equal before and after a correct change.
 */
export function restOf(data: Value, wishes: readonly Wish[], { entries, hooks }: Written): Value {
  let now = data;
  for (const entry of entries) {
    const { path, value } = entry;
    if (isMade(entry) && !startIsOurs(valueAt(now, path), entry)) continue;
    for (const [name, each] of Object.entries(value))
      if (sameValue(valueAt(now, [...path, name]), each)) now = without(now, [...path, name]);
  }
  for (const { path, command } of hooks) {
    const list = listAt(now, path);
    const places = writtenIn(list, [command]);
    if (places.length > 0) now = put(now, path, withoutHooks(list, places));
  }
  for (const wish of wishes) {
    if (wish.kind === "setting") {
      now = without(now, wish.path);
      if (wish.around !== undefined) now = unwrapped(now, wish.path.slice(0, -1), wish.around);
    } else if (wish.kind === "member") {
      const list = valueAt(now, wish.path);
      if (!Array.isArray(list)) continue;
      now = put(
        now,
        wish.path,
        list.filter((each) => each !== wish.value),
      );
    }
  }
  return withoutEmpty(now);
}

function unwrapped(data: Value, path: Path, name: string): Value {
  const there = valueAt(data, path);
  if (!isObject(there) || Object.keys(there).length !== 1) return data;
  const word = there[name];
  return typeof word === "string" ? put(data, path, word) : data;
}

function without(data: Value, path: Path): Value {
  const [name, ...rest] = path;
  if (name === undefined || !isObject(data) || !Object.hasOwn(data, name)) return data;
  const { [name]: there, ...others } = data;
  if (rest.length === 0 || there === undefined) return others;
  return { ...data, [name]: without(there, rest) };
}

/** Objects and lists that hold nothing come and go with what is put into them. */
function withoutEmpty(data: Value): Value {
  if (!isObject(data)) return data;
  const entries = Object.entries(data).map(([name, value]) => [name, withoutEmpty(value)] as const);
  return Object.fromEntries(
    entries.filter(([, value]) =>
      Array.isArray(value) ? value.length > 0 : !isObject(value) || Object.keys(value).length > 0,
    ),
  );
}

function put(data: Value, path: Path, value: Value): Value {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const object = isObject(data) ? data : {};
  return { ...object, [name]: put(object[name] ?? {}, rest, value) };
}

function inTheWay(file: string, path: Path, data: Value): WaymarkError {
  let length = 1;
  while (isObject(valueAt(data, path.slice(0, length)))) length++;
  return new WaymarkError(
    "broken_config",
    `"${path.slice(0, length).join(".")}" in ${file} is no object, so nothing can be put into it. Nothing was written; change it by hand and run the command again.`,
  );
}

function notAList(file: string, path: Path): WaymarkError {
  return new WaymarkError(
    "broken_config",
    `"${path.join(".")}" in ${file} is no list. Nothing was written; change it by hand and run the command again.`,
  );
}
