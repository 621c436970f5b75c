import type {
  ConfigItem,
  EntryItem,
  Fields,
  Path,
  Value,
} from "../agents/common/setup/config-item.ts";
import { isObject, sameValue, valueAt } from "./edit/document.ts";
import { runsHook } from "./hook-groups.ts";
import { isServerOfSetup, isStatusLineOfSetup, serverKind, serverStart } from "./recognize.ts";

export function listAt(data: Value, path: Path): readonly Value[] {
  const list = valueAt(data, path);
  return Array.isArray(list) ? list : [];
}

/** Whether an entry has exactly the fields that some version of setup writes. */
export function isInSetupForm(
  { is, value }: EntryItem,
  current: Value | undefined,
): current is Fields {
  if (!isObject(current)) return false;
  const known = is === "server" ? isServerOfSetup(current) : isStatusLineOfSetup(current);
  const { type, command, args, ...options } = current;
  const { type: ourType, command: _, args: __, ...ourOptions } = value;
  return known && sameValue(type, ourType) && sameValue(options, ourOptions);
}

/**
 * Whether the file has an item, written by setup or the user. `exists` checks that the programs of entries and hooks
 * still exist.
 */
export function isSatisfied(
  data: Value,
  item: ConfigItem,
  exists: (file: string) => boolean = () => true,
): boolean {
  const current = valueAt(data, item.path);
  switch (item.kind) {
    case "entry": {
      if (item.is === "status line") return current !== undefined;
      const files = isObject(current) ? (serverStart(current)?.files ?? []) : [];
      return serverKind(current) !== "nothing" && files.every(exists);
    }
    case "setting": {
      if (current === undefined && item.onlyIfSet) return true;
      return sameValue(current, item.value);
    }
    case "member":
      return listAt(data, item.path).includes(item.value);
    case "hook":
      return listAt(data, item.path).some((group) => runsHook(group, item, exists));
  }
}

/** Whether a value along the path is not an object. */
export function isBlocked(data: Value, path: Path): boolean {
  for (let length = 0; length < path.length; length++) {
    const current = valueAt(data, path.slice(0, length));
    if (current === undefined) return false;
    if (!isObject(current)) return true;
  }
  return false;
}
