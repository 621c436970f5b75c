import { isOurHook, isOurStatusLine } from "./commands.ts";
import { isObject, type Path, sameValue, type Value, valueAt } from "./document.ts";

/**
 * What should stand in a configuration file, declared:
 * `entry` belongs to us whole, by its name or by what it runs; `setting` is the user's and is put back
 * to what it was; `member` is one text of a list; `hook` is one of a list and known by its command.
 */
export type Wish =
  | {
      readonly kind: "entry";
      readonly path: Path;
      readonly value: Value;
      /** What stands there already is left alone unless it is this. */
      readonly yieldsUnless?: "our status line";
    }
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
  | { readonly kind: "hook"; readonly path: Path; readonly value: Value };

/** Which hooks of a definition are ours. */
export function oursIn(group: Value | undefined): readonly { readonly [name: string]: Value }[] {
  return hooksOf(group).filter((hook) => isObject(hook) && isOurHook(hook.command)) as {
    readonly [name: string]: Value;
  }[];
}

export function hooksOf(group: Value | undefined): readonly Value[] {
  const hooks = isObject(group) ? group.hooks : undefined;
  return Array.isArray(hooks) ? hooks : [];
}

export function listAt(data: Value, path: Path): readonly Value[] {
  const list = valueAt(data, path);
  return Array.isArray(list) ? list : [];
}

/** Whether an `entry` that stands in the file may be changed and taken away by us. */
export function isOurEntry(wish: Wish & { readonly kind: "entry" }, value: Value): boolean {
  if (wish.yieldsUnless === undefined) return true;
  return isObject(value) && isOurStatusLine(value.command);
}

export function isFulfilled(data: Value, wish: Wish): boolean {
  const there = valueAt(data, wish.path);
  switch (wish.kind) {
    case "entry":
      return there !== undefined && (!isOurEntry(wish, there) || holds(there, wish.value));
    case "setting": {
      if (there === undefined && wish.onlyIfSet) return true;
      return sameValue(there, wish.value);
    }
    case "member":
      return listAt(data, wish.path).includes(wish.value);
    case "hook": {
      // However it was moved or added to by hand, it runs once and runs the right thing.
      const [hook, ...more] = listAt(data, wish.path).flatMap(oursIn);
      return more.length === 0 && hook?.command === oursIn(wish.value)[0]?.command;
    }
  }
}

/** Whether everything of `wanted` is there; a person may have added to it. */
function holds(there: Value, wanted: Value): boolean {
  if (!isObject(there) || !isObject(wanted)) return sameValue(there, wanted);
  return Object.keys(wanted).every((name) => sameValue(there[name], wanted[name]));
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
