import type { App } from "./app-context.ts";

/** Milliseconds in which an action can be undone. */
export const UNDO_MS = 8_000;

interface DeferredAction {
  /** The target: a second action on the same subject replaces the first. */
  readonly subject: string;
  readonly message: string;
  send(isLeaving: boolean): Promise<void>;
}

/** Cancels unsent actions, by subject. */
const waiting = new Map<string, () => void>();

/** Sends an action after the undo period, or when the page is closed. */
export function sendAfterUndo(app: App, { subject, message: text, send }: DeferredAction): void {
  cancelPending(subject);
  const leave = () => {
    finish();
    void send(true);
  };
  const timer = setTimeout(() => {
    finish();
    void send(false);
  }, UNDO_MS);
  const finish = () => {
    clearTimeout(timer);
    removeEventListener("pagehide", leave);
    waiting.delete(subject);
    hide();
  };
  addEventListener("pagehide", leave);
  waiting.set(subject, finish);
  const hide = app.notify({ text, subject, undo: finish });
}

/** Cancels an unsent action on a subject, because another decision was made. */
export function cancelPending(subject: string): void {
  waiting.get(subject)?.();
}
