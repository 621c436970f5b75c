import type { TerminalProcess } from "../core/jump.ts";
import type { FocusablePane } from "./panes.ts";
import { ask } from "./run.ts";

/** The pane in which a process was started, as zellij tells its programs. Needs zellij 0.44 or later to focus it. */
export function zellijPane(
  { env: theirs }: TerminalProcess,
  env: NodeJS.ProcessEnv,
): FocusablePane | undefined {
  const { ZELLIJ_SESSION_NAME: session, ZELLIJ_PANE_ID: pane } = theirs;
  if (!session || session.startsWith("-") || !/^\d+$/.test(pane ?? "")) return undefined;
  return {
    key: `zellij ${session} ${pane}`,
    program: "zellij",
    label: `${session}, pane ${pane}`,
    async focus() {
      const args = ["--session", session, "action", "focus-pane-id", `terminal_${pane}`];
      return (await ask("zellij", args, env)) === undefined ? undefined : { type: "focused" };
    },
  };
}
