import type { Page } from "playwright-core";
import { UNDO } from "../../../src/surfaces/web/state/later.ts";

/**
 * Stops the time to undo on every page that is loaded from now on: it passes with `timeIsUp`, however
 * long the test takes until then.
 */
export async function holdUndoTime(page: Page): Promise<void> {
  await page.addInitScript((undo) => {
    const { setTimeout: begin, clearTimeout: end } = window;
    const waiting = new Map<number, () => void>();
    let last = 0;
    const held = (act: () => void, delay?: number, ...given: unknown[]) => {
      if (delay !== undo) return begin(act, delay, ...given);
      last -= 1;
      waiting.set(last, act);
      return last;
    };
    const timeIsUp = () => {
      for (const [id, act] of [...waiting]) if (waiting.delete(id)) act();
    };
    Object.assign(window, {
      setTimeout: held,
      clearTimeout: (id?: number) => void (waiting.delete(id ?? 0) || end(id)),
      timeIsUp,
    });
  }, UNDO);
}

/** Runs everything that waits for the time to undo to pass. */
export async function timeIsUp(page: Page): Promise<void> {
  await page.evaluate(() => (window as unknown as { timeIsUp(): void }).timeIsUp());
}
