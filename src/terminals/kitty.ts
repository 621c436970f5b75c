import type { TerminalProcess } from "../core/jump.ts";
import type { FocusablePane } from "./panes.ts";
import { ask } from "./run.ts";

/** The window in which a process was started. Kitty takes commands only over a socket that the user configured. */
export function kittyPane(
  { env: theirs }: TerminalProcess,
  env: NodeJS.ProcessEnv,
): FocusablePane | undefined {
  const { KITTY_WINDOW_ID: window, KITTY_LISTEN_ON: socket } = theirs;
  if (!/^\d+$/.test(window ?? "") || !socket || !/^(?:unix|tcp):/.test(socket)) return undefined;
  return {
    key: `kitty ${socket} ${window}`,
    program: "kitty",
    label: `window ${window}`,
    async focus() {
      const args = ["@", "--to", socket, "focus-window", "--match", `id:${window}`];
      return (await ask("kitty", args, env)) === undefined ? undefined : { type: "focused" };
    },
  };
}
