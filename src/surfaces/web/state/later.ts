import type { App } from "./app-context.ts";

/** So long something can be taken back. */
export const UNDO = 8_000;

interface Act {
  /** What it is done to: of two acts on the same, the second takes the place of the first. */
  readonly subject: string;
  readonly said: string;
  send(isLeaving: boolean): Promise<void>;
}

/** How what was not sent yet is taken back, by subject. */
const waiting = new Map<string, () => void>();

/** Sent when nobody took it back, or when the page is left. */
export function later(app: App, { subject, said, send }: Act): void {
  takeBack(subject);
  const leave = () => {
    finish();
    void send(true);
  };
  const timer = setTimeout(() => {
    finish();
    void send(false);
  }, UNDO);
  const finish = () => {
    clearTimeout(timer);
    removeEventListener("pagehide", leave);
    waiting.delete(subject);
    hide();
  };
  addEventListener("pagehide", leave);
  waiting.set(subject, finish);
  const hide = app.tell({ text: said, subject, undo: finish });
}

/** Whoever decides otherwise at once has taken back what still waits. */
export function takeBack(subject: string): void {
  waiting.get(subject)?.();
}
