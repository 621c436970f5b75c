import type { HookWish } from "../agents/common/setup/wish.ts";
import { isObject, type Path, type Value } from "./edit/document.ts";
import { hookCall } from "./recognize.ts";

/** A hook that setup wrote: the list that it stands in, and its command. */
export interface WrittenHook {
  readonly path: Path;
  readonly command: string;
}

/** A hook in a list of groups; without `hook` the whole group. */
interface Place {
  readonly group: number;
  readonly hook?: number;
  readonly command: string;
}

export function hooksOf(group: Value | undefined): readonly Value[] {
  const hooks = isObject(group) ? group.hooks : undefined;
  return Array.isArray(hooks) ? hooks : [];
}

export function commandOf(hook: Value | undefined): string | undefined {
  const command = isObject(hook) ? hook.command : undefined;
  return typeof command === "string" ? command : undefined;
}

export function wantedCommand({ value }: HookWish): string {
  return commandOf(value.hooks[0]) ?? "";
}

/** Whether a hook of the group runs Waymark for the same agent and event, whoever wrote it. */
export function runsHook(
  group: Value,
  wish: HookWish,
  exists: (file: string) => boolean = () => true,
): boolean {
  const wanted = hookCall(wantedCommand(wish));
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

const FIELDS: ReadonlySet<string> = new Set(["type", "name", "command"]);

function isAsWritten(hook: Value, commands: readonly string[]): boolean {
  return (
    isObject(hook) &&
    Object.keys(hook).every((name) => FIELDS.has(name)) &&
    commands.includes(commandOf(hook) ?? "")
  );
}

/**
 * The unchanged hooks of setup in a list, last first. A hook with additional fields, or alone in a group
 * with a matcher, was changed and belongs to the user. If the user moved the hook into another group, only
 * the hook is setup's, not the group.
 */
export function writtenIn(list: readonly Value[], commands: readonly string[]): readonly Place[] {
  return list
    .flatMap((value, group): readonly Place[] => {
      const hooks = hooksOf(value);
      const found = hooks.flatMap((hook, index) =>
        isAsWritten(hook, commands) ? [{ group, hook: index, command: commandOf(hook) ?? "" }] : [],
      );
      if (found.length === 0 || found.length < hooks.length) return found;
      const bare = isObject(value) && Object.keys(value).length === 1;
      return bare ? found.slice(0, 1).map(({ command }) => ({ group, command })) : [];
    })
    .reverse();
}

/** The list without these. */
export function without(list: readonly Value[], places: readonly Place[]): readonly Value[] {
  return list.flatMap((value, group) => {
    const here = places.filter((place) => place.group === group);
    if (here.some(({ hook }) => hook === undefined)) return [];
    if (here.length === 0 || !isObject(value)) return [value];
    const hooks = hooksOf(value).filter((_, index) => !here.some(({ hook }) => hook === index));
    return [{ ...value, hooks }];
  });
}

/** Groups in exactly the form that setup writes, started by any installation of Waymark. */
export function groupsOfSetup(list: readonly Value[], wish: HookWish): readonly WrittenHook[] {
  const wanted = hookCall(wantedCommand(wish));
  const commands = list.flatMap((group) => {
    const command = commandOf(hooksOf(group)[0]) ?? "";
    const call = hookCall(command);
    const ours =
      call?.asSetupDoes === true && call.agent === wanted?.agent && call.event === wanted.event;
    return ours ? [command] : [];
  });
  return writtenIn(list, commands)
    .filter(({ hook }) => hook === undefined)
    .map(({ command }) => ({ path: wish.path, command }));
}
