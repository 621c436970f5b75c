import { findRunning } from "../commands/serve.ts";
import type { BoardPage } from "./source.ts";

/** The page of a server that runs on this home; every link is asked of it anew, since each works once. */
export function runningPage(home: string): BoardPage {
  return { openingUrl: async (to) => (await findRunning(home, to))?.opening };
}
