import { isObject, type Path, sameValue, type Value, valueAt } from "../../../setup/document.ts";
import { runsHook } from "../../../setup/hook-groups.ts";
import {
  isServerOfSetup,
  isStatusLineOfSetup,
  serverStart,
  whatServes,
} from "../../../setup/recognize.ts";

export type Fields = { readonly [name: string]: Value };

/**
 * A declared part of a configuration file. An `entry` is created if missing, and the user's own is kept. A
 * `setting` is restored to its earlier value on removal. A `member` is a string in a list. A `hook` is a group in a
 * list of hooks.
 */
export type Wish =
  | EntryWish
  | {
      readonly kind: "setting";
      readonly path: Path;
      readonly value: Value;
      /** Where it is not set, it already is what we want. */
      readonly onlyIfSet?: true;
      /** A text in place of the object around it means the same as the object with the text under this name. */
      readonly around?: string;
    }
  | { readonly kind: "member"; readonly path: Path; readonly value: string }
  | HookWish;

export interface EntryWish {
  readonly kind: "entry";
  readonly is: "server" | "status line";
  readonly path: Path;
  readonly value: Fields;
}

export interface HookWish {
  readonly kind: "hook";
  readonly path: Path;
  readonly value: { readonly hooks: readonly [Fields] };
}

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

/** Whether something that is no object stands where the path leads through. */
export function blocked(data: Value, path: Path): boolean {
  for (let length = 0; length < path.length; length++) {
    const there = valueAt(data, path.slice(0, length));
    if (there === undefined) return false;
    if (!isObject(there)) return true;
  }
  return false;
}
