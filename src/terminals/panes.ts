import type { AgentPane, TerminalProcess } from "../core/jump.ts";
import { kittyPane } from "./kitty.ts";
import { openTmux } from "./tmux.ts";
import { weztermPane } from "./wezterm.ts";
import { zellijPane } from "./zellij.ts";

/** A pane that can be focused. */
export interface FocusablePane extends AgentPane {
  /** Focuses the pane. Undefined if the program refused. */
  focus(): Promise<Focused | undefined>;
}

export type Focused =
  | { readonly type: "focused"; readonly back?: string }
  /** No window shows the pane; the command shows it. */
  | { readonly type: "detached"; readonly attach: string };

/** Finds the panes of processes. Asks each terminal program at most once. */
export interface PaneFinder {
  paneOf(process: TerminalProcess): Promise<FocusablePane | undefined>;
}

/** `env` is the environment of this process: its own terminal decides what a jump can do. */
export function openPanes(env: NodeJS.ProcessEnv): PaneFinder {
  const tmux = openTmux(env);
  return {
    // A multiplexer runs inside a terminal window, so it comes first.
    paneOf: async (process) =>
      (await tmux(process)) ??
      zellijPane(process, env) ??
      kittyPane(process, env) ??
      (await weztermPane(process, env)),
  };
}
