import type { App } from "./app-context.ts";

/** So long something can be taken back. */
export const UNDO = 8_000;

/** Sent when nobody took it back, or when the page is left. */
export function later(app: App, said: string, send: (isLeaving: boolean) => Promise<void>): void {
  const finish = () => {
    clearTimeout(timer);
    removeEventListener("pagehide", leave);
  };
  const leave = () => {
    finish();
    void send(true);
  };
  const timer = setTimeout(() => {
    finish();
    void send(false);
  }, UNDO);
  addEventListener("pagehide", leave);
  app.tell({ text: said, undo: finish });
}
