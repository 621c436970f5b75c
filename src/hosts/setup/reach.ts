import { WaymarkError } from "../../core/error.ts";
import { type Format, isObject, type Path, sameValue, type Value, valueAt } from "./document.ts";
import { blocked, hooksOf, isFulfilled, isOurEntry, listAt, oursIn, type Wish } from "./wish.ts";

/** What a file held before we came, as far as we changed it. */
export interface Memory {
  /** Settings, with the value that they had; without one they were not there. */
  readonly settings: readonly { readonly path: Path; readonly value?: Value }[];
  /** Members of lists that were there already. */
  readonly members: readonly { readonly path: Path; readonly value: string }[];
  /** Objects and lists that were there, and stay even when nothing is left in them. */
  readonly containers: readonly Path[];
}

/** Every wish that any way of setting up this file may have had. */
export function remember(data: Value, wishes: readonly Wish[]): Memory {
  const containers = new Map<string, Path>();
  for (const { path } of wishes)
    for (let length = 1; length <= path.length; length++) {
      const container = path.slice(0, length);
      const there = valueAt(data, container);
      if (isObject(there) || Array.isArray(there)) containers.set(container.join("\0"), container);
    }
  return {
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
export function isMarked(data: Value, wishes: readonly Wish[]): boolean {
  return wishes.some((wish) => {
    const there = valueAt(data, wish.path);
    if (wish.kind === "entry") return there !== undefined && isOurEntry(wish, there);
    return (
      wish.kind === "hook" && listAt(data, wish.path).some((group) => oursIn(group).length > 0)
    );
  });
}

const NOTHING: Memory = { settings: [], members: [], containers: [] };

interface Place {
  readonly format: Format;
  readonly file: string;
}

/** Fulfils wishes; those of another way of setting up go first. */
export function fulfil(
  text: string,
  { format, file }: Place,
  wishes: readonly Wish[],
  others: readonly Wish[],
  memory?: Memory,
): string {
  const stale = others.filter((other) => !wishes.some((wish) => sameTarget(wish, other)));
  let now = clear(text, { format, file }, stale, memory);
  for (const wish of wishes) {
    const data = format.read(now, file);
    if (isFulfilled(data, wish)) continue;
    now = grant(now, data, { format, file }, wish);
  }
  return now;
}

function sameTarget(wish: Wish, other: Wish): boolean {
  if (wish.kind !== other.kind || !sameValue(wish.path, other.path)) return false;
  return wish.kind !== "member" || sameValue(wish.value, other.value);
}

function grant(text: string, data: Value, { format, file }: Place, wish: Wish): string {
  const { path, value } = wish;
  const around = path.slice(0, -1);
  if (wish.kind === "setting" && wish.around !== undefined) {
    const word = valueAt(data, around);
    if (typeof word === "string")
      return format.set(text, around, { [wish.around]: word, [path.at(-1) ?? ""]: value });
  }
  if (blocked(data, path)) throw inTheWay(file, path, data);
  const there = valueAt(data, path);
  if (wish.kind === "entry" && isObject(there) && isObject(value))
    return Object.entries(value).reduce(
      (now, [name, each]) =>
        sameValue(there[name], each) ? now : format.set(now, [...path, name], each),
      text,
    );
  if (wish.kind === "entry" || wish.kind === "setting") return format.set(text, path, value);
  if (there !== undefined && !Array.isArray(there)) throw notAList(file, path);
  const cleared = wish.kind === "hook" ? dropOurs(text, data, { format, file }, path) : text;
  return format.append(cleared, path, value);
}

function dropOurs(text: string, data: Value, { format }: Place, path: Path): string {
  let now = text;
  const list = listAt(data, path);
  for (let index = list.length - 1; index >= 0; index--) {
    const hooks = hooksOf(list[index]);
    const ours = oursIn(list[index]);
    if (ours.length === 0) continue;
    if (ours.length === hooks.length) now = format.drop(now, path, index);
    else
      for (let inner = hooks.length - 1; inner >= 0; inner--)
        if (ours.some((hook) => hook === hooks[inner]))
          now = format.drop(now, [...path, String(index), "hooks"], inner);
  }
  return now;
}

/** Takes away what wishes put there, and what was made only to hold it. */
export function clear(
  text: string,
  place: Place,
  wishes: readonly Wish[],
  memory: Memory = NOTHING,
): string {
  let now = text;
  for (const wish of wishes) {
    const data = place.format.read(now, place.file);
    const next = revoke(now, data, place, wish, memory);
    if (next === now) continue;
    now = prune(
      next,
      place,
      wish.path.slice(0, wish.kind === "hook" || wish.kind === "member" ? undefined : -1),
      memory,
    );
  }
  return now;
}

function revoke(text: string, data: Value, place: Place, wish: Wish, memory: Memory): string {
  const { format } = place;
  switch (wish.kind) {
    case "entry": {
      const there = valueAt(data, wish.path);
      return there !== undefined && isOurEntry(wish, there) ? format.unset(text, wish.path) : text;
    }
    case "hook":
      return dropOurs(text, data, place, wish.path);
    case "member": {
      const { path, value } = wish;
      if (memory.members.some((each) => each.value === value && sameValue(each.path, path)))
        return text;
      const index = listAt(data, path).lastIndexOf(value);
      return index === -1 ? text : format.drop(text, path, index);
    }
    case "setting":
      return putBack(text, data, place, wish, memory);
  }
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
 * What is left of a file's content without anything that wishes may have put there: the same before
 * and after, or a change went wrong.
 */
export function restOf(data: Value, wishes: readonly Wish[]): Value {
  let now = data;
  for (const wish of wishes) {
    if (wish.kind === "entry") {
      const there = valueAt(now, wish.path);
      if (there !== undefined && isOurEntry(wish, there)) now = without(now, wish.path);
    } else if (wish.kind === "setting") {
      now = without(now, wish.path);
      if (wish.around !== undefined) now = unwrapped(now, wish.path.slice(0, -1), wish.around);
    } else {
      const list = valueAt(now, wish.path);
      if (!Array.isArray(list)) continue;
      const kept =
        wish.kind === "hook" ? foreignHooks(list) : list.filter((each) => each !== wish.value);
      now = put(now, wish.path, kept);
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

function foreignHooks(groups: readonly Value[]): Value[] {
  return groups.flatMap((group) => {
    const ours = oursIn(group);
    if (ours.length === 0 || !isObject(group)) return [group];
    const hooks = hooksOf(group).filter((hook) => !ours.some((each) => each === hook));
    return hooks.length === 0 ? [] : [{ ...group, hooks }];
  });
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
