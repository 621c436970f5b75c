import { LISTING } from "./commands/listing.ts";
import type { Exit } from "./io/exit.ts";
import { type ProgramParts, runProgram } from "./program.ts";

const PART: ProgramParts<undefined> = { commands: LISTING, help: () => undefined };

/**
 * Runs `ls` from its own small bundle, which starts faster. Returns undefined, with nothing done, if the whole program
 * is needed, e.g. for help.
 */
export function main(argv: readonly string[]): Promise<Exit | undefined> {
  return runProgram(argv, PART);
}

export { runWorker } from "../sessions/transcripts/threads/worker.ts";
