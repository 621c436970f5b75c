import type { App } from "./app-context.ts";

/** Milliseconds in which an action can be undone. */
export const UNDO_MS = 8_000;

interface DeferredAction {
  /** The target: a second action on the same subject replaces the first. */
  readonly subject: string;
  readonly message: string;
  send(isLeaving: boolean): Promise<void>;
  /** Called when the action was undone, replaced or sent. */
  onSettled?(): void;
}

/** Cancels unsent actions, by subject. */
const waiting = new Map<string, () => void>();

/** Sends an action after the undo period, or when the page is closed. */
export function sendAfterUndo(app: App, action: DeferredAction): void {
  const { subject, message: text, send, onSettled } = action;
  cancelPending(subject);
  const leave = () => {
    end();
    void send(true);
  };
  const end = () => {
    removeEventListener("pagehide", leave);
    waiting.delete(subject);
    hide();
  };
  const undo = () => {
    end();
    onSettled?.();
  };
  addEventListener("pagehide", leave);
  waiting.set(subject, undo);
  const hide = app.notify({
    text,
    subject,
    undo,
    onEnd() {
      end();
      void send(false).finally(() => onSettled?.());
    },
  });
}

/** Cancels all unsent actions, because what they apply to is gone. */
export function cancelAllPending(): void {
  for (const cancel of [...waiting.values()]) cancel();
}

/** Cancels an unsent action on a subject, because another decision was made. */
export function cancelPending(subject: string): void {
  waiting.get(subject)?.();
}
