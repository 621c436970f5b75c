import type { ToastMessage } from "../state/app-context.ts";
import { UNDO_MS } from "../state/undo.ts";

/** Milliseconds for which a message without undo covers an action that can be undone. */
const COVER_MS = 2_500;
/** Actions that can be undone one after the other. */
const MAX_UNDO = 20;

/** A toast and the time that it has left. */
export interface ShownToast {
  readonly toast: ToastMessage;
  readonly isPaused: boolean;
  /** Milliseconds until it ends. */
  readonly left: number;
}

interface Entry {
  readonly toast: ToastMessage;
  /** Milliseconds when the timer was last started. */
  left: number;
  startedAt: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Shows the newest toast only. Actions below it can still be undone; the time of an action stops while a message
 * covers it, and while the user points at or focuses its toast.
 */
export interface ToastQueue {
  add(toast: ToastMessage): () => void;
  /** Ends a toast before its time, without its end. */
  remove(toast: ToastMessage): void;
  pause(): void;
  resume(): void;
  /** Undoes the newest action that can be undone. */
  undo(): void;
  shown(): ShownToast | undefined;
  canUndo(): boolean;
}

export function openToastQueue(onChange: () => void): ToastQueue {
  let entries: Entry[] = [];
  let isPaused = false;

  const start = (entry: Entry): void => {
    if (entry.timer !== undefined) return;
    entry.startedAt = performance.now();
    entry.timer = setTimeout(() => end(entry), entry.left);
  };
  const stop = (entry: Entry): void => {
    if (entry.timer === undefined) return;
    clearTimeout(entry.timer);
    entry.timer = undefined;
    entry.left = Math.max(0, entry.left - (performance.now() - entry.startedAt));
  };
  /** Stops covered and paused timers, and starts the others. */
  const update = (): void => {
    const top = entries.at(-1);
    for (const entry of entries) {
      const isCovered = entry !== top && top !== undefined && top.toast.undo === undefined;
      if (isCovered || (entry === top && isPaused)) stop(entry);
      else start(entry);
    }
    onChange();
  };
  const drop = (entry: Entry): boolean => {
    if (!entries.includes(entry)) return false;
    clearTimeout(entry.timer);
    if (entry === entries.at(-1)) isPaused = false;
    entries = entries.filter((each) => each !== entry);
    return true;
  };
  const end = (entry: Entry): void => {
    if (!drop(entry)) return;
    entry.toast.onEnd?.();
    update();
  };
  const remove = (toast: ToastMessage): void => {
    const entry = entries.find((each) => each.toast === toast);
    if (entry && drop(entry)) update();
  };
  return {
    add(toast) {
      const isReplaced = ({ toast: known }: Entry) =>
        known.undo === undefined ||
        (known.subject !== undefined && known.subject === toast.subject);
      for (const entry of entries.filter(isReplaced)) drop(entry);
      const covers = toast.undo === undefined && entries.length > 0;
      const left = covers ? COVER_MS : UNDO_MS;
      isPaused = false;
      entries = [...entries, { toast, left, startedAt: 0, timer: undefined }];
      for (const entry of entries.slice(0, -MAX_UNDO)) end(entry);
      update();
      return () => remove(toast);
    },
    remove,
    pause() {
      isPaused = true;
      update();
    },
    resume() {
      isPaused = false;
      update();
    },
    undo() {
      const entry = entries.findLast(({ toast }) => toast.undo !== undefined);
      if (!entry || !drop(entry)) return;
      update();
      entry.toast.undo?.();
    },
    shown() {
      const top = entries.at(-1);
      if (!top) return undefined;
      const passed = top.timer === undefined ? 0 : performance.now() - top.startedAt;
      return { toast: top.toast, isPaused, left: Math.max(0, top.left - passed) };
    },
    canUndo: () => entries.some(({ toast }) => toast.undo !== undefined),
  };
}
