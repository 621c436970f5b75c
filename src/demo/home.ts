import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onInterruptedExit } from "../home/interrupts.ts";
import { type Home, openHome } from "../home/open.ts";

/** Temporary directories for the demo. */
export interface DemoMachine {
  /** Home directory with the session files of the recorded agents. */
  readonly userHome: string;
  /** The directory of Waymark. */
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  /** Closes and removes everything. */
  close(): Promise<void>;
}

export function openDemoMachine(
  env: NodeJS.ProcessEnv,
  printError: (line: string) => void,
): DemoMachine {
  const root = mkdtempSync(join(tmpdir(), "waymark-demo-"));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  onInterruptedExit(remove);
  const userHome = join(root, "home");
  mkdirSync(userHome);
  const opened = openDemoHome(env, ownDirectory(root), printError);
  return {
    userHome,
    ...opened,
    async close() {
      await opened.home.close();
      remove();
    },
  };
}

/** Runs `work` with an empty home directory in `root/home` and the directory of Waymark in `root/waymark`. */
export async function withDemoMachine<T>(
  outer: NodeJS.ProcessEnv,
  root: string,
  printError: (line: string) => void,
  work: (place: Omit<DemoMachine, "close">) => Promise<T>,
): Promise<T> {
  const userHome = join(root, "home");
  mkdirSync(userHome, { recursive: true });
  const before = HOME_VARIABLES.map((name) => [name, process.env[name]] as const);
  for (const name of HOME_VARIABLES) process.env[name] = userHome;
  const { env, home } = openDemoHome(outer, ownDirectory(root), printError);
  try {
    return await work({ userHome, env, home });
  } finally {
    await home.close();
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

const HOME_VARIABLES = ["HOME", "USERPROFILE"] as const;

/** The directory of Waymark in the demo. */
export function ownDirectory(root: string): string {
  return join(root, "waymark");
}

/** Opens the directory of Waymark in the demo, without the user's settings. */
export function openDemoHome(
  { TERM, PATH }: NodeJS.ProcessEnv,
  path: string,
  printError: (line: string) => void,
): Pick<DemoMachine, "home" | "env"> {
  const env = {
    ...(TERM !== undefined && { TERM }),
    ...(PATH !== undefined && { PATH }),
    WAYMARK_HOME: path,
    // The recorded stall should not take five minutes.
    WAYMARK_STALL_AFTER_RUNNING: "60s",
  };
  return { env, home: openHome(env, printError) };
}
