/** A value of a configuration file. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [key: string]: Value };

/** The way to a value: names of properties, and numbers of what stands in lists. */
export type Path = readonly string[];

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
