import { useState } from "preact/hooks";
import type { View } from "../../../../core/views/view.ts";
import { type Section, sectionsOf } from "../../state/sections.ts";

type Keys = ReadonlySet<string>;

/** The sections of a list as the user opened and folded them. */
export interface Sections {
  readonly sections: readonly Section[];
  /** Folds or unfolds a section. */
  toggle(section: Section): void;
  /** Shows every row of a section. */
  open(section: Section): void;
  /** Folds finished sections, or unfolds them if all are folded. */
  toggleDone(): void;
}

export function useSections(view: View, edited: string | undefined): Sections {
  const [opened, setOpened] = useState<Keys>(new Set());
  const [folded, setFolded] = useState<Keys>(new Set());
  const sections = sectionsOf(view, opened, folded, edited);
  const fold = (keys: Keys): void => {
    setOpened(without(opened, keys));
    setFolded(both(folded, keys));
  };
  const unfold = (keys: Keys): void => {
    setOpened(both(opened, keys));
    setFolded(without(folded, keys));
  };
  return {
    sections,
    toggle: ({ key, isFolded }) => (isFolded ? unfold : fold)(new Set([key])),
    open: ({ key }) => setOpened(new Set([...opened, key])),
    toggleDone() {
      const done = sections.filter((section) => section.canFold && section.isDone);
      const areFolded = done.every(({ isFolded }) => isFolded);
      (areFolded ? unfold : fold)(new Set(done.map(({ key }) => key)));
    },
  };
}

function both(one: Keys, other: Keys): Keys {
  return new Set([...one, ...other]);
}

function without(one: Keys, other: Keys): Keys {
  return new Set([...one].filter((key) => !other.has(key)));
}
