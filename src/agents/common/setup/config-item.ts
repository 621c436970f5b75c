/** A value of a configuration file. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [key: string]: Value };

/** The path to a value: property names and array indexes. */
export type Path = readonly string[];

export type Fields = { readonly [name: string]: Value };

/**
 * Something that setup wants in a configuration file. An `entry` is created if missing; an entry of the user is kept.
 * A `setting` gets its earlier value back on removal. A `member` is a string in an array. A `hook` is a group in an
 * array of hooks.
 */
export type ConfigItem =
  | EntryItem
  | {
      readonly kind: "setting";
      readonly path: Path;
      readonly value: Value;
      /** Set only if the user set it; the default of the agent is right. */
      readonly onlyIfSet?: true;
      /** The parent may be a string instead of an object: short for an object with that string under this key. */
      readonly shorthandKey?: string;
    }
  | { readonly kind: "member"; readonly path: Path; readonly value: string }
  | HookItem;

export interface EntryItem {
  readonly kind: "entry";
  readonly is: "server" | "status line";
  readonly path: Path;
  readonly value: Fields;
}

export interface HookItem {
  readonly kind: "hook";
  readonly path: Path;
  /** A group of hooks for one event; or one hook that names its event, in a list for all events. */
  readonly value: { readonly hooks: readonly [Fields] } | FlatHook;
}

type FlatHook = { readonly event: string; readonly command: string };
