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
  const opened = openDemoHome(env, join(root, "waymark"), say);
  return {
    userHome,
    ...opened,
    async close() {
      await opened.home.close();
      remove();
    },
  };
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
