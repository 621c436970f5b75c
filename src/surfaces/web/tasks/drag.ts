import { useEffect, useRef, useState } from "preact/hooks";
import {
  TASK_COLUMNS,
  type TaskBoard,
  type TaskCard,
  type TaskColumn,
} from "../../../tasks/rules/board.ts";
import { useKeys } from "../state/hooks.ts";
import { type Drop, dropOf } from "./drop.ts";

/** A card that the user drags, with the pointer or with keys. */
export interface Drag {
  readonly card: TaskCard;
  readonly column: TaskColumn;
  /** Id of the card under the pointer. */
  readonly over: string | undefined;
  /** Position of the pointer; absent for keys. */
  readonly at?: { readonly x: number; readonly y: number };
}

/** Pixels that a mouse moves before a press becomes a drag. */
const SLACK = 6;
/** Milliseconds that a finger rests before it drags instead of scrolls. */
const LONG_PRESS = 350;
const CONTROLS = "button, input, select, textarea, .chips";

export interface DragParts {
  readonly board: TaskBoard;
  find(id: string): TaskCard | undefined;
  onDrop(card: TaskCard, drop: Drop): void;
}

/** Moves cards between columns and, by priority, within one. */
export function useDrag({ board, find, onDrop }: DragParts) {
  const [drag, setDrag] = useState<Drag | undefined>();
  const latest = useRef(drag);
  latest.current = drag;
  const dropAt = (to: TaskColumn): Drop | undefined =>
    drag && dropOf(drag.card, to, to === drag.column ? find(drag.over ?? "")?.task : undefined);

  const finish = (): void => {
    const { current } = latest;
    setDrag(undefined);
    if (!current) return;
    const over = find(current.over ?? "")?.task;
    const drop = dropOf(current.card, current.column, over);
    if (drop) onDrop(current.card, drop);
  };
  const endGesture = useRef<(() => void) | undefined>(undefined);
  const actions = useRef({ finish });
  actions.current = { finish };

  const begin = (event: PointerEvent, card: TaskCard): void => {
    const target = event.target instanceof Element ? event.target : undefined;
    if (event.button !== 0 || target?.closest(CONTROLS)) return;
    const isTouch = event.pointerType === "touch";
    const from = { x: event.clientX, y: event.clientY };
    const lift = (x: number, y: number): void =>
      setDrag({ card, column: card.column, over: undefined, at: { x, y }, ...placeAt(x, y) });
    const timer = isTouch ? setTimeout(() => lift(from.x, from.y), LONG_PRESS) : undefined;
    const move = ({ clientX: x, clientY: y }: PointerEvent): void => {
      const isAway = Math.hypot(x - from.x, y - from.y) > SLACK;
      if (latest.current || (isAway && !isTouch)) lift(x, y);
      else if (isAway) end();
    };
    const drop = (): void => {
      const wasDragged = latest.current !== undefined;
      end();
      if (!wasDragged) return;
      // The press was no click on the link below.
      addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", swallow, { capture: true }));
      actions.current.finish();
    };
    const cancel = (): void => {
      end();
      setDrag(undefined);
    };
    const end = (): void => {
      clearTimeout(timer);
      endGesture.current = undefined;
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", cancel);
    };
    endGesture.current = end;
    addEventListener("pointermove", move);
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", cancel);
  };

  // While a card is dragged, a finger must not scroll the page.
  const isLifted = drag?.at !== undefined;
  useEffect(() => {
    if (!isLifted) return undefined;
    const hold = (event: TouchEvent): void => event.preventDefault();
    addEventListener("touchmove", hold, { passive: false });
    return () => removeEventListener("touchmove", hold);
  }, [isLifted]);

  const cross = (by: number): void => {
    if (!drag) return;
    const index = TASK_COLUMNS.indexOf(drag.column) + by;
    const column = TASK_COLUMNS[Math.max(0, Math.min(TASK_COLUMNS.length - 1, index))];
    if (column) setDrag({ ...drag, column, over: undefined });
  };
  const step = (by: number): void => {
    if (!drag) return;
    const cards = board.columns[drag.column];
    const from = cards.findIndex(({ task }) => task.id === (drag.over ?? drag.card.task.id));
    const next = cards[Math.max(0, Math.min(cards.length - 1, from + by))];
    setDrag({ ...drag, over: next?.task.id });
  };
  useKeys(
    drag
      ? {
          Escape: () => {
            endGesture.current?.();
            setDrag(undefined);
          },
          ArrowRight: () => cross(1),
          ArrowLeft: () => cross(-1),
          ArrowDown: () => step(1),
          ArrowUp: () => step(-1),
          " ": finish,
        }
      : {},
    drag !== undefined,
  );
  // The focused link would take the key.
  const isKeyDrag = drag !== undefined && drag.at === undefined;
  useEffect(() => {
    if (!isKeyDrag) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Enter") return;
      swallow(event);
      actions.current.finish();
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, [isKeyDrag]);
  return {
    drag,
    dropAt,
    begin,
    /** Picks a card up with the keyboard. */
    pickUp: (card: TaskCard) => setDrag({ card, column: card.column, over: undefined }),
  };
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

/** The column and the card at a point. */
function placeAt(x: number, y: number): Partial<Pick<Drag, "column" | "over">> {
  const target = document.elementFromPoint(x, y);
  const column = target?.closest<HTMLElement>("[data-column]")?.dataset.column;
  const over = target?.closest<HTMLElement>("[data-task]")?.dataset.task;
  return {
    ...(column !== undefined && { column: column as TaskColumn }),
    over,
  };
}
