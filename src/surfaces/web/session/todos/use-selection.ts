import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Todo } from "../../../../core/model.ts";
import type { Row } from "../../../../core/views/view.ts";

/** The row that keys act on. */
export interface Selection {
  /** Its id; the row may be hidden. */
  readonly chosen: string | undefined;
  readonly selected: Todo | undefined;
  choose(id: string): void;
  /** Chooses a row, scrolls to it and gives it the focus. */
  focus(id: string): void;
  move(by: number): void;
  focusEnd(end: "first" | "last"): void;
}

export function useSelection(rows: readonly Row[], list: RefObject<HTMLElement | null>): Selection {
  const [chosen, choose] = useState<string | undefined>();
  const focus = (id: string): void => {
    choose(id);
    const show = (): boolean => {
      const found = list.current?.querySelector<HTMLElement>(`[data-todo="${CSS.escape(id)}"]`);
      found?.focus();
      found?.scrollIntoView({ block: "nearest" });
      return !!found && found === document.activeElement;
    };
    if (show()) return;
    // A row that is about to be drawn, or behind a dialog that is about to close, unless the user types somewhere by then.
    requestAnimationFrame(() => {
      if (!document.activeElement?.matches("input, textarea, select")) show();
    });
  };
  return {
    chosen,
    selected: rows.find(({ todo }) => todo.id === chosen)?.todo,
    choose,
    focus,
    move(by) {
      const at = rows.findIndex(({ todo }) => todo.id === chosen);
      const next = rows[at === -1 ? (by > 0 ? 0 : rows.length - 1) : at + by];
      if (next) focus(next.todo.id);
    },
    focusEnd(end) {
      const row = rows.at(end === "first" ? 0 : -1);
      if (row) focus(row.todo.id);
    },
  };
}
