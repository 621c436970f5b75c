/**
 * terminals: terminal programs that can focus one of their panes. Each is asked through its own command line, without
 * a shell; what it prints is data.
 */
import { execFile } from "node:child_process";

const TIMEOUT = 3_000;
const MAX_BYTES = 1024 * 1024;

/** The output of a program; undefined if it is missing, fails or takes too long. */
export function ask(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { env, encoding: "utf8", timeout: TIMEOUT, maxBuffer: MAX_BYTES, windowsHide: true },
      (error, stdout) => resolve(error ? undefined : stdout),
    );
  });
}
