import type { ConfigItem, HookItem } from "../agents/common/setup/config-item.ts";
import { WaymarkError } from "../core/error.ts";
import {
  type Format,
  isObject,
  type Path,
  sameValue,
  type Value,
  valueAt,
} from "./edit/document.ts";
import { addEntry, hasOurStart, isCreated, removeEntry, type WrittenEntry } from "./entry.ts";
import {
  commandOf,
  eventOf,
  groupsOfSetup,
  hooksOf,
  isHookOf,
  runsHook,
  type WrittenHook,
  wantedCommand,
  withoutHooks,
  writtenIn,
} from "./hook-groups.ts";
import { isBlocked, isInSetupForm, isSatisfied, listAt } from "./satisfied.ts";

/** The entries and hooks of a file that setup wrote. All others belong to the user, whatever their name or command. */
export interface Written {
  readonly entries: readonly WrittenEntry[];
  readonly hooks: readonly WrittenHook[];
}

export const NOTHING_WRITTEN: Written = { entries: [], hooks: [] };

/** The values that setup changed in a file, and the entries and hooks that it wrote. */
export interface SetupRecord extends Written {
  /** Settings with their former value; without one if they were not set. */
  readonly settings: readonly { readonly path: Path; readonly value?: Value }[];
  /** List members that existed before setup. */
  readonly members: readonly { readonly path: Path; readonly value: string }[];
  /** Objects and lists that existed before setup, and are kept even if they become empty. */
  readonly containers: readonly Path[];
}

/** A record without values from before setup. */
export function withoutHistory(written: Written): SetupRecord {
  return { ...written, settings: [], members: [], containers: [] };
}

/** Entries and hooks in exactly the form that setup writes, for files without a receipt. */
export function findUnrecorded(data: Value, items: readonly ConfigItem[]): Written {
  const byPath = new Map(
    items.map((item) => [
      [item.kind, ...item.path, item.kind === "hook" ? eventOf(item) : ""].join("\0"),
      item,
    ]),
  );
  const found = [...byPath.values()];
  return {
    entries: found.flatMap((item) => {
      const value = valueAt(data, item.path);
      return item.kind === "entry" && isInSetupForm(item, value)
        ? [{ path: item.path, value }]
        : [];
    }),
    hooks: found.flatMap((item) =>
      item.kind === "hook" ? groupsOfSetup(listAt(data, item.path), item) : [],
    ),
  };
}

/** Records the values of a file before setup, for the items of every mode. */
export function remember(data: Value, items: readonly ConfigItem[], written: Written): SetupRecord {
  const containers = new Map<string, Path>();
  for (const { path } of items)
    for (let length = 1; length <= path.length; length++) {
      const container = path.slice(0, length);
      const current = valueAt(data, container);
      if (isObject(current) || Array.isArray(current))
        containers.set(container.join("\0"), container);
    }
  return {
    ...written,
    settings: items.flatMap((item) => {
      if (item.kind !== "setting") return [];
      const around = item.path.slice(0, -1);
      const shorthand = item.shorthandKey === undefined ? undefined : valueAt(data, around);
      if (typeof shorthand === "string") return [{ path: around, value: shorthand }];
      const value = valueAt(data, item.path);
      return value === undefined ? [{ path: item.path }] : [{ path: item.path, value }];
    }),
    members: items.flatMap((item) =>
      item.kind === "member" && listAt(data, item.path).includes(item.value)
        ? [{ path: item.path, value: item.value }]
        : [],
    ),
    containers: [...containers.values()],
  };
}

/**
 * Whether a file has an entry or hook of setup. Settings and list members do not count: the user may have set the same.
 */
export function isMarked(data: Value, { entries, hooks }: Written): boolean {
  return (
    entries.some((entry) => isCreated(entry) && isObject(valueAt(data, entry.path))) ||
    hooks.some(({ path, command }) =>
      listAt(data, path).some((group) =>
        hooksOf(group).some((hook) => commandOf(hook) === command),
      ),
    )
  );
}

interface FileTarget {
  readonly format: Format;
  readonly file: string;
  /** Checks the programs of the user's hooks. */
  exists?(path: string): boolean;
}

/** Adds the desired items, after removing the entries and hooks of other modes. */
export function applyEntries(
  text: string,
  target: FileTarget,
  items: readonly ConfigItem[],
  others: readonly ConfigItem[],
  memory: SetupRecord,
): { readonly text: string; readonly written: Written } {
  const { format, file } = target;
  const entries: WrittenEntry[] = [];
  const hooks: WrittenHook[] = [];
  let now = clearStale(text, target, items, others, memory);
  // Entries of another mode that the user changed are kept.
  for (const entry of memory.entries)
    if (!items.some((item) => item.kind === "entry" && sameValue(item.path, entry.path)))
      if (hasOurStart(valueAt(format.read(now, file), entry.path), entry)) entries.push(entry);
  for (const item of items) {
    const data = format.read(now, file);
    if (item.kind === "hook") {
      const granted = addHook(now, data, target, item, memory);
      now = granted.text;
      if (granted.ours) hooks.push({ path: item.path, command: wantedCommand(item) });
    } else if (item.kind === "entry") {
      if (isBlocked(data, item.path)) throw notAnObject(file, item.path, data);
      const granted = addEntry(now, data, format, item, writtenAt(memory, item.path));
      now = granted.text;
      if (granted.written) entries.push(granted.written);
    } else if (!isSatisfied(data, item)) now = setValue(now, data, target, item);
  }
  return { text: now, written: { entries, hooks } };
}

export function writtenAt({ entries }: Written, path: Path): WrittenEntry | undefined {
  return entries.find((each) => sameValue(each.path, path));
}

/** Updates entries of setup to which the user added fields: these entries are kept after a removal. */
export function refresh(
  text: string,
  target: FileTarget,
  items: readonly ConfigItem[],
  was: Written,
): string {
  return items.reduce((now, item) => {
    const written = item.kind === "entry" ? writtenAt(was, item.path) : undefined;
    if (item.kind !== "entry" || !isCreated(written)) return now;
    const data = target.format.read(now, target.file);
    if (valueAt(data, item.path) === undefined) return now;
    return addEntry(now, data, target.format, item, written).text;
  }, text);
}

/** Removes the entries, hooks, settings and members of other modes. */
function clearStale(
  text: string,
  target: FileTarget,
  items: readonly ConfigItem[],
  others: readonly ConfigItem[],
  memory: SetupRecord,
): string {
  const stale = others.filter((other) => !items.some((item) => sameTarget(item, other)));
  const written = {
    entries: memory.entries.filter(
      ({ path }) => !items.some((item) => item.kind === "entry" && sameValue(item.path, path)),
    ),
    hooks: memory.hooks.filter(
      (hook) => !items.some((item) => item.kind === "hook" && isHookOf(hook, item)),
    ),
  };
  return clear(text, target, stale, { ...memory, ...written });
}

function sameTarget(item: ConfigItem, other: ConfigItem): boolean {
  if (item.kind !== other.kind || !sameValue(item.path, other.path)) return false;
  return item.kind !== "member" || sameValue(item.value, other.value);
}

function setValue(
  text: string,
  data: Value,
  { format, file }: FileTarget,
  item: ConfigItem & { readonly kind: "setting" | "member" },
): string {
  const { path, value } = item;
  const around = path.slice(0, -1);
  if (item.kind === "setting" && item.shorthandKey !== undefined) {
    const shorthand = valueAt(data, around);
    if (typeof shorthand === "string")
      return format.set(text, around, {
        [item.shorthandKey]: shorthand,
        [path.at(-1) ?? ""]: value,
      });
  }
  if (isBlocked(data, path)) throw notAnObject(file, path, data);
  if (item.kind === "setting") return format.set(text, path, value);
  const current = valueAt(data, path);
  if (current !== undefined && !Array.isArray(current)) throw notAList(file, path);
  return format.append(text, path, value);
}

/** Adds the hook, unless a hook of the user already runs Waymark for the event. */
function addHook(
  text: string,
  data: Value,
  target: FileTarget,
  item: HookItem,
  memory: Written,
): { readonly text: string; readonly ours: boolean } {
  const { path, value } = item;
  if (isBlocked(data, path)) throw notAnObject(target.file, path, data);
  const current = valueAt(data, path);
  if (current !== undefined && !Array.isArray(current)) throw notAList(target.file, path);
  const list = listAt(data, path);
  const known = memory.hooks.filter((hook) => isHookOf(hook, item));
  const ours = writtenIn(list, commandsAt(known, path));
  const cleared = () => dropHooks(text, data, target, path, known);
  if (withoutHooks(list, ours).some((group) => runsHook(group, item, target.exists)))
    return { text: cleared(), ours: false };
  const [only, ...more] = ours;
  if (more.length === 0 && only?.command === wantedCommand(item)) return { text, ours: true };
  return { text: target.format.append(cleared(), path, value), ours: true };
}

function commandsAt(hooks: readonly WrittenHook[], path: Path): readonly string[] {
  return hooks.filter((each) => sameValue(each.path, path)).map(({ command }) => command);
}

function dropHooks(
  text: string,
  data: Value,
  { format }: FileTarget,
  path: Path,
  hooks: readonly WrittenHook[],
): string {
  return writtenIn(listAt(data, path), commandsAt(hooks, path)).reduce(
    (now, { group, hook }) =>
      hook === undefined
        ? format.drop(now, path, group)
        : format.drop(now, [...path, String(group), "hooks"], hook),
    text,
  );
}

/** Removes entries and hooks of setup, restores settings and members, and deletes emptied containers. */
export function clear(
  text: string,
  target: FileTarget,
  items: readonly ConfigItem[],
  memory: SetupRecord,
): string {
  const { format, file } = target;
  let now = text;
  const step = (path: Path, take: (data: Value) => string) => {
    const next = take(format.read(now, file));
    if (next !== now) now = prune(next, target, path, memory);
  };
  for (const entry of memory.entries)
    step(entry.path.slice(0, -1), (data) => removeEntry(now, data, format, entry));
  for (const { path } of memory.hooks)
    step(path, (data) => dropHooks(now, data, target, path, memory.hooks));
  for (const item of items)
    if (item.kind === "member")
      step(item.path, (data) => removeMember(now, data, target, item, memory));
    else if (item.kind === "setting")
      step(item.path.slice(0, -1), (data) => restoreSetting(now, data, target, item, memory));
  return now;
}

function removeMember(
  text: string,
  data: Value,
  { format }: FileTarget,
  { path, value }: ConfigItem & { readonly kind: "member" },
  memory: SetupRecord,
): string {
  if (memory.members.some((each) => each.value === value && sameValue(each.path, path)))
    return text;
  const index = listAt(data, path).lastIndexOf(value);
  return index === -1 ? text : format.drop(text, path, index);
}

/** Restores the former value of a setting that the user has not changed since. */
function restoreSetting(
  text: string,
  data: Value,
  { format }: FileTarget,
  { path, value, shorthandKey: around }: ConfigItem & { readonly kind: "setting" },
  memory: SetupRecord,
): string {
  if (!sameValue(valueAt(data, path), value)) return text;
  const parent = path.slice(0, -1);
  const shorthand = memory.settings.find((each) => sameValue(each.path, parent))?.value;
  if (around !== undefined && shorthand !== undefined) {
    const ours = { [around]: shorthand, [path.at(-1) ?? ""]: value };
    return sameValue(valueAt(data, parent), ours)
      ? format.set(text, parent, shorthand)
      : format.unset(text, path);
  }
  const before = memory.settings.find((each) => sameValue(each.path, path))?.value;
  if (before === undefined) return format.unset(text, path);
  return sameValue(before, value) ? text : format.set(text, path, before);
}

function prune(
  text: string,
  { format, file }: FileTarget,
  path: Path,
  memory: SetupRecord,
): string {
  let now = text;
  for (let length = path.length; length > 0; length--) {
    const container = path.slice(0, length);
    const current = valueAt(format.read(now, file), container);
    const empty = Array.isArray(current)
      ? current.length === 0
      : isObject(current) && Object.keys(current).length === 0;
    if (!empty || memory.containers.some((each) => sameValue(each, container))) return now;
    now = format.unset(now, container);
  }
  return now;
}

/**
 * The user's part of a file: its content without the entries and hooks of setup, settings and members. It is
 * equal before and after a correct change.
 */
export function restOf(
  data: Value,
  items: readonly ConfigItem[],
  { entries, hooks }: Written,
): Value {
  let now = data;
  for (const entry of entries) {
    const { path, value } = entry;
    if (isCreated(entry) && !hasOurStart(valueAt(now, path), entry)) continue;
    for (const [name, each] of Object.entries(value))
      if (sameValue(valueAt(now, [...path, name]), each)) now = without(now, [...path, name]);
  }
  for (const { path, command } of hooks) {
    const list = listAt(now, path);
    const locations = writtenIn(list, [command]);
    if (locations.length > 0) now = put(now, path, withoutHooks(list, locations));
  }
  for (const item of items) {
    if (item.kind === "setting") {
      now = without(now, item.path);
      if (item.shorthandKey !== undefined)
        now = unwrapped(now, item.path.slice(0, -1), item.shorthandKey);
    } else if (item.kind === "member") {
      const list = valueAt(now, item.path);
      if (!Array.isArray(list)) continue;
      now = put(
        now,
        item.path,
        list.filter((each) => each !== item.value),
      );
    }
  }
  return withoutEmpty(now);
}

function unwrapped(data: Value, path: Path, name: string): Value {
  const current = valueAt(data, path);
  if (!isObject(current) || Object.keys(current).length !== 1) return data;
  const shorthand = current[name];
  return typeof shorthand === "string" ? put(data, path, shorthand) : data;
}

function without(data: Value, path: Path): Value {
  const [name, ...rest] = path;
  if (name === undefined || !isObject(data) || !Object.hasOwn(data, name)) return data;
  const { [name]: current, ...others } = data;
  if (rest.length === 0 || current === undefined) return others;
  return { ...data, [name]: without(current, rest) };
}

/** Removes empty objects and lists: setup creates and deletes them with their content. */
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

function notAnObject(file: string, path: Path, data: Value): WaymarkError {
  let length = 1;
  while (isObject(valueAt(data, path.slice(0, length)))) length++;
  return new WaymarkError(
    "broken_config",
    `"${path.slice(0, length).join(".")}" in ${file} is not an object. Nothing was written. Change it to an object and run the command again.`,
  );
}

function notAList(file: string, path: Path): WaymarkError {
  return new WaymarkError(
    "broken_config",
    `"${path.join(".")}" in ${file} is not a list. Nothing was written. Change it to a list and run the command again.`,
  );
}
