import type { Browser } from "playwright-core";
import { beforeAll, beforeEach } from "vitest";
import { browserProgram, openChromium } from "../../../scripts/browser.mjs";
import { reasonAgainst } from "../../skipped.ts";

export { openChromium };

/** Why the tests that need a browser are skipped, or an empty string. */
export const NO_BROWSER = await reasonAgainst("browser", browserProgram);

let shared: Promise<Browser> | undefined;

/** One browser per worker, closed with it; contexts isolate the tests. */
function sharedChromium(): Promise<Browser> {
  shared ??= openChromium();
  return shared;
}

/** Skips the tests of the file if no browser can run. */
export function browserPerFile(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (NO_BROWSER === "") browser = await sharedChromium();
  }, 120_000);
  beforeEach(({ skip }) => skip(NO_BROWSER !== "", NO_BROWSER));
  return () => {
    if (!browser) throw new Error("The browser is used before it is started.");
    return browser;
  };
}
