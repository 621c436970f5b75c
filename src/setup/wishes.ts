import type { EntryWish, Fields, Path, Value, Wish } from "../agents/common/setup/wish.ts";
import { isObject, sameValue, valueAt } from "./edit/document.ts";
import { runsHook } from "./hook-groups.ts";
import { isServerOfSetup, isStatusLineOfSetup, serverStart, whatServes } from "./recognize.ts";

export function listAt(data: Value, path: Path): readonly Value[] {
  const list = valueAt(data, path);
  return Array.isArray(list) ? list : [];
}

/** Whether an entry is, field by field, what some version of setup writes. */
export function isOfSetup({ is, value }: EntryWish, there: Value | undefined): there is Fields {
  if (!isObject(there)) return false;
  const known = is === "server" ? isServerOfSetup(there) : isStatusLineOfSetup(there);
  const { type, command, args, ...options } = there;
  const { type: ourType, command: _, args: __, ...ourOptions } = value;
  return known && sameValue(type, ourType) && sameValue(options, ourOptions);
}

/**
 * Whether the file fulfills a wish, by an entry or hook of setup or of the user. `exists` checks the files of
 * programs, which may have moved.
 */
export function isFulfilled(
  data: Value,
  wish: Wish,
  exists: (file: string) => boolean = () => true,
): boolean {
  const there = valueAt(data, wish.path);
  switch (wish.kind) {
    case "entry": {
      if (wish.is === "status line") return there !== undefined;
      const files = isObject(there) ? (serverStart(there)?.files ?? []) : [];
      return whatServes(there) !== "nothing" && files.every(exists);
    }
    case "setting": {
      if (there === undefined && wish.onlyIfSet) return true;
      return sameValue(there, wish.value);
    }
    case "member":
      return listAt(data, wish.path).includes(wish.value);
    case "hook":
      return listAt(data, wish.path).some((group) => runsHook(group, wish, exists));
  }
}

/** Whether a value on the way of the path is not an object. */
export function blocked(data: Value, path: Path): boolean {
  for (let length = 0; length < path.length; length++) {
    const there = valueAt(data, path.slice(0, length));
    if (there === undefined) return false;
    if (!isObject(there)) return true;
  }
  return false;
}
