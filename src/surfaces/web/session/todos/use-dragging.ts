import { useState } from "preact/hooks";
import type { Todo } from "../../../../core/model.ts";

interface Handlers {
  onDragStart(event: DragEvent): void;
  onDragOver(event: DragEvent): void;
  onDragEnd(): void;
  onDrop(event: DragEvent): void;
}

/** Drags one todo onto another. */
export interface Dragging {
  /** The id of the todo below the pointer. */
  readonly over: string | undefined;
  handlers(todo: Todo): Handlers;
}

export function useDragging(onDrop: (from: string, to: string) => void): Dragging {
  const [dragged, setDragged] = useState<string | undefined>();
  const [over, setOver] = useState<string | undefined>();
  return {
    over,
    handlers: (todo) => ({
      onDragStart(event) {
        setDragged(todo.id);
        event.dataTransfer?.setData("text/plain", todo.text);
      },
      onDragOver(event) {
        if (dragged === undefined) return;
        event.preventDefault();
        setOver(todo.id);
      },
      onDragEnd() {
        setDragged(undefined);
        setOver(undefined);
      },
      onDrop(event) {
        event.preventDefault();
        setOver(undefined);
        if (dragged !== undefined) onDrop(dragged, todo.id);
      },
    }),
  };
}
