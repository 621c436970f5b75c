import { useMemo, useRef, useState } from "preact/hooks";
import { forPage } from "../../../core/text/escape.ts";
import { useKeys } from "../state/hooks.ts";
import { UNDO_MS } from "../state/undo.ts";
import { Key } from "../ui/parts.tsx";
import { openToastQueue, type ToastQueue } from "./queue.ts";

/** The toasts of the page; rerenders when another one is shown. */
export function useToasts(): ToastQueue {
  const [, redraw] = useState(0);
  const changes = useRef(0);
  return useMemo(() => openToastQueue(() => redraw(++changes.current)), []);
}

export function Toasts({ queue }: { readonly queue: ToastQueue }) {
  const shown = queue.shown();
  return (
    <div class="toasts">
      {/* Screen readers announce the text when it changes. */}
      <div role="status" aria-live="polite" aria-atomic="true">
        {shown && <Toast key={idOf(shown.toast)} queue={queue} {...shown} />}
      </div>
      {queue.canUndo() && <UndoKey queue={queue} />}
    </div>
  );
}

const ids = new WeakMap<object, number>();
let lastId = 0;

/** Gives each toast its own element, so that its ring starts at the beginning. */
function idOf(toast: object): number {
  const known = ids.get(toast) ?? ++lastId;
  ids.set(toast, known);
  return known;
}

/** Mounted with the first action to undo, so that its key comes before those of the page. */
function UndoKey({ queue }: { readonly queue: ToastQueue }) {
  useKeys({ u: queue.undo });
  return null;
}

/** Browsers also report a pointer that rests when the page moves below it. */
const pointer = { x: -1, y: -1, hasMoved: false };
addEventListener(
  "mousemove",
  ({ clientX: x, clientY: y }) => {
    Object.assign(pointer, { x, y, hasMoved: x !== pointer.x || y !== pointer.y });
  },
  { capture: true, passive: true },
);

type ToastProps = NonNullable<ReturnType<ToastQueue["shown"]>> & { readonly queue: ToastQueue };

function Toast({ toast, isPaused, left, queue }: ToastProps) {
  const { undo, isProblem } = toast;
  const text = forPage(toast.text);
  const box = useRef<HTMLDivElement>(null);
  const isPointedAt = useRef(false);
  /** Resumes unless the pointer or the focus is still on it. */
  const resume = (): void => {
    const hasFocus = box.current?.contains(document.activeElement) ?? false;
    if (!hasFocus && !isPointedAt.current) queue.resume();
  };
  return (
    <div
      ref={box}
      class={isProblem ? "toast problem" : "toast"}
      // Not when it appears under a pointer that rests: it would stay for ever.
      onMouseMove={() => {
        if (!pointer.hasMoved) return;
        isPointedAt.current = true;
        if (!isPaused) queue.pause();
      }}
      onMouseLeave={() => {
        isPointedAt.current = false;
        resume();
      }}
      onFocusIn={queue.pause}
      onFocusOut={() => requestAnimationFrame(resume)}
    >
      {undo && <Ring isPaused={isPaused} left={left} />}
      <span id="toast-text">{text}</span>
      {undo && (
        <button
          type="button"
          class="button ghost"
          aria-keyshortcuts="u"
          aria-describedby="toast-text"
          onClick={queue.undo}
        >
          Undo <Key>u</Key>
        </button>
      )}
    </div>
  );
}

/** The time that is left. */
function Ring({ isPaused, left }: { readonly isPaused: boolean; readonly left: number }) {
  // The animation itself keeps the time after that.
  const [passed] = useState(UNDO_MS - left);
  return (
    <svg
      class={`ring${isPaused ? " paused" : ""}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
      style={{ "--undo-time": `${UNDO_MS}ms`, "--undo-passed": `${-passed}ms` }}
    >
      <circle cx="8" cy="8" r="6" />
      <circle class="left" cx="8" cy="8" r="6" pathLength={100} />
    </svg>
  );
}
