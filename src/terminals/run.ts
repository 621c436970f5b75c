/**
 * terminals: terminal programs that can focus one of their panes. Each is asked through its own command line, without
 * a shell; what it prints is data.
 */
import { spawn } from "node:child_process";

const TIMEOUT = 3_000;
const MAX_OUTPUT = 1024 * 1024;

/** The output of a program; undefined if it is missing, fails or takes too long. */
export function ask(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: TIMEOUT,
      windowsHide: true,
    });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.length > MAX_OUTPUT) child.kill();
    });
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve(code === 0 ? printed : undefined));
  });
}
