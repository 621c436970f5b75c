import type { Page } from "playwright-core";
import { UNDO_MS } from "../../../src/surfaces/web/state/undo.ts";

/** Stops the undo timer on pages loaded from now on, until `endUndoPeriod`. */
export async function pauseUndoPeriod(page: Page): Promise<void> {
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
    const endUndoPeriod = () => {
      for (const [id, act] of [...waiting]) if (waiting.delete(id)) act();
    };
    Object.assign(window, {
      setTimeout: held,
      clearTimeout: (id?: number) => void (waiting.delete(id ?? 0) || end(id)),
      endUndoPeriod,
    });
  }, UNDO_MS);
}

/** Ends the undo period. */
export async function endUndoPeriod(page: Page): Promise<void> {
  await page.evaluate(() => (window as unknown as { endUndoPeriod(): void }).endUndoPeriod());
}
