import type { HookItem } from "../agents/common/setup/config-item.ts";
import { isObject, type Path, sameValue, type Value } from "./edit/document.ts";
import { hookCall } from "./recognize.ts";

/** A hook that setup wrote: the path of its list, and its command. */
export interface WrittenHook {
  readonly path: Path;
  readonly command: string;
}

/** The location of a hook in a list of groups; without `hook`, of the whole group. */
interface HookLocation {
  readonly group: number;
  readonly hook?: number;
  readonly command: string;
}

/** The hooks of a group. A hook outside a group counts as a group of its own. */
export function hooksOf(group: Value | undefined): readonly Value[] {
  if (!isObject(group)) return [];
  if (isFlat(group)) return [group];
  return Array.isArray(group.hooks) ? group.hooks : [];
}

function isFlat(group: Value): boolean {
  return isObject(group) && group.hooks === undefined && typeof group.command === "string";
}

export function commandOf(hook: Value | undefined): string | undefined {
  const command = isObject(hook) ? hook.command : undefined;
  return typeof command === "string" ? command : undefined;
}

export function wantedCommand({ value }: HookItem): string {
  return ("hooks" in value ? commandOf(value.hooks[0]) : value.command) ?? "";
}

/** Whether setup wrote a hook for the event of the item. */
export function isHookOf({ path, command }: WrittenHook, item: HookItem): boolean {
  return (
    sameValue(path, item.path) &&
    (!("event" in item.value) || hookCall(command)?.event === eventOf(item))
  );
}

export function eventOf(item: HookItem): string {
  return hookCall(wantedCommand(item))?.event ?? "";
}

/** Whether a hook of the group runs Waymark for the same agent and event, written by setup or the user. */
export function runsHook(
  group: Value,
  item: HookItem,
  exists: (file: string) => boolean = () => true,
): boolean {
  const wanted = hookCall(wantedCommand(item));
  return hooksOf(group).some((hook) => {
    const call = hookCall(commandOf(hook));
    return (
      call !== undefined &&
      call.agent === wanted?.agent &&
      call.event === wanted.event &&
      call.files.every(exists)
    );
  });
}

const FIELDS: ReadonlySet<string> = new Set(["type", "name", "command", "event"]);

function isAsWritten(hook: Value, commands: readonly string[]): boolean {
  return (
    isObject(hook) &&
    Object.keys(hook).every((name) => FIELDS.has(name)) &&
    commands.includes(commandOf(hook) ?? "")
  );
}

/**
 * The unchanged hooks of setup in a list, last first. A hook with additional fields, or alone in a group with a
 * matcher, was changed and belongs to the user. If the user moved the hook into another group, only the hook is
 * setup's, not the group.
 */
export function writtenIn(
  list: readonly Value[],
  commands: readonly string[],
): readonly HookLocation[] {
  return list
    .flatMap((value, group): readonly HookLocation[] => {
      const hooks = hooksOf(value);
      const found = hooks.flatMap((hook, index) =>
        isAsWritten(hook, commands) ? [{ group, hook: index, command: commandOf(hook) ?? "" }] : [],
      );
      if (found.length === 0 || found.length < hooks.length) return found;
      const bare = isFlat(value) || (isObject(value) && Object.keys(value).length === 1);
      return bare ? found.slice(0, 1).map(({ command }) => ({ group, command })) : [];
    })
    .reverse();
}

/** The list without these hooks. */
export function withoutHooks(
  list: readonly Value[],
  locations: readonly HookLocation[],
): readonly Value[] {
  return list.flatMap((value, group) => {
    const here = locations.filter((location) => location.group === group);
    if (here.some(({ hook }) => hook === undefined)) return [];
    if (here.length === 0 || !isObject(value)) return [value];
    const hooks = hooksOf(value).filter((_, index) => !here.some(({ hook }) => hook === index));
    return [{ ...value, hooks }];
  });
}

/** Groups in exactly the form that setup writes, with the command of any installation. */
export function groupsOfSetup(list: readonly Value[], item: HookItem): readonly WrittenHook[] {
  const wanted = hookCall(wantedCommand(item));
  const commands = list.flatMap((group) => {
    const command = commandOf(hooksOf(group)[0]) ?? "";
    const call = hookCall(command);
    const ours =
      call?.isSetupForm === true && call.agent === wanted?.agent && call.event === wanted.event;
    return ours ? [command] : [];
  });
  return writtenIn(list, commands)
    .filter(({ hook }) => hook === undefined)
    .map(({ command }) => ({ path: item.path, command }));
}
