import { LISTING } from "./commands/listing.ts";
import type { Exit } from "./io/exit.ts";
import { type Parts, runProgram } from "./program.ts";

const PART: Parts<undefined> = { commands: LISTING, help: () => undefined };

/**
 * The commands that show every agent, without all others: what is never looked at need not be
 * loaded. Nothing is answered, and nothing was done, where the whole program has to.
 */
export function main(argv: readonly string[]): Promise<Exit | undefined> {
  return runProgram(argv, PART);
}

export { readShare } from "../sessions/transcripts/threads/worker.ts";
