import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeInterrupted } from "../home/interrupts.ts";
import { type Home, openHome } from "../home/open.ts";

/** Temporary directories that the demo is played in. */
export interface DemoPlace {
  /** Where the recorded agents write their files. */
  readonly userHome: string;
  /** Waymark's own directory. */
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  /** Removes everything. */
  close(): Promise<void>;
}

export function openDemoPlace(env: NodeJS.ProcessEnv, say: (line: string) => void): DemoPlace {
  const root = mkdtempSync(join(tmpdir(), "waymark-demo-"));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  beforeInterrupted(remove);
  const userHome = join(root, "home");
  mkdirSync(userHome);
  const opened = openDemoHome(env, ownDirectory(root), say);
  return {
    userHome,
    ...opened,
    async close() {
      await opened.home.close();
      remove();
    },
  };
}

/**
 * Runs `work` on an empty machine in `root`: agents are looked for in its home directory, and Waymark's own directory
 * is `root/waymark`.
 */
export async function onDemoMachine<T>(
  outer: NodeJS.ProcessEnv,
  root: string,
  say: (line: string) => void,
  work: (place: Omit<DemoPlace, "close">) => Promise<T>,
): Promise<T> {
  const userHome = join(root, "home");
  mkdirSync(userHome, { recursive: true });
  const before = HOME_VARIABLES.map((name) => [name, process.env[name]] as const);
  for (const name of HOME_VARIABLES) process.env[name] = userHome;
  const { env, home } = openDemoHome(outer, ownDirectory(root), say);
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

/** Waymark's own directory of the demo. */
export function ownDirectory(root: string): string {
  return join(root, "waymark");
}

/** Opens Waymark's directory of the demo; settings of the user do not apply there. */
export function openDemoHome(
  { TERM, PATH }: NodeJS.ProcessEnv,
  path: string,
  say: (line: string) => void,
): Pick<DemoPlace, "home" | "env"> {
  const env = {
    ...(TERM !== undefined && { TERM }),
    ...(PATH !== undefined && { PATH }),
    WAYMARK_HOME: path,
    // Nobody waits five minutes for the stall of the recording.
    WAYMARK_STALL_AFTER_RUNNING: "60s",
  };
  return { env, home: openHome(env, say) };
}
