import type { MergedTrack } from "./views/merged.ts";

/** A pane, window or tab of a terminal program in which an agent may run. */
export interface AgentPane {
  /** Identifies the pane while it exists, e.g. to choose it later. */
  readonly key: string;
  readonly program: TerminalProgram;
  /** How the program names it, e.g. `work:2.1`. */
  readonly label: string;
  readonly title?: string;
  readonly cwd?: string;
  /** The agent's command line, without secrets. */
  readonly command?: string;
  /** When the pane last had output, if its program reports it. */
  readonly activeAt?: number;
}

/** A process that runs in a terminal. */
export interface TerminalProcess {
  readonly pid: number;
  /** `/dev/pts/3`; undefined if unknown. */
  readonly tty?: string | undefined;
  /** The variables that its terminal set, as far as they are known. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The variables with which terminal programs name the pane of a process. */
export const TERMINAL_VARIABLES = [
  "TMUX",
  "TMUX_PANE",
  "ZELLIJ_SESSION_NAME",
  "ZELLIJ_PANE_ID",
  "KITTY_WINDOW_ID",
  "KITTY_LISTEN_ON",
  "WEZTERM_PANE",
  "WEZTERM_UNIX_SOCKET",
] as const;

/** Terminal programs that can focus a pane on request. */
export const TERMINAL_PROGRAMS = ["tmux", "zellij", "kitty", "wezterm"] as const;
export type TerminalProgram = (typeof TERMINAL_PROGRAMS)[number];

/** The command that continues a session in a new terminal. */
export interface ResumeCommand {
  /** Program and arguments, to be run without a shell. */
  readonly words: readonly string[];
  readonly cwd?: string;
  /** The same for a shell, with its directory. */
  readonly line: string;
}

/** The panes in which the agent of a session may run. */
export interface PanesResponse {
  readonly panes: readonly AgentPane[];
  /** The only pane certainly is that of the session. */
  readonly isCertain: boolean;
}

/** Where an agent was looked for, and the result. */
export type JumpAnswer =
  /** The pane has the focus now. `back` is the key that returns, with the program's own bindings. */
  | { readonly type: "went"; readonly pane: AgentPane; readonly back?: string }
  /** Several panes fit, or it is not certain that one of them belongs to the session. */
  | { readonly type: "choose"; readonly panes: readonly AgentPane[] }
  /** The pane exists, but no window shows it: `attach` shows it. */
  | { readonly type: "detached"; readonly pane: AgentPane; readonly attach: string }
  | {
      readonly type: "none";
      /** Terminal programs that were asked. */
      readonly asked: readonly TerminalProgram[];
      /** The process of the agent, if it runs in a terminal that cannot be focused. */
      readonly running?: { readonly pid: number; readonly terminal?: string };
      readonly resume?: ResumeCommand;
      /** The machine that the session belongs to, if not this one. */
      readonly machine?: string;
    };

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A word of a POSIX shell command. */
export function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Control characters in an id or a path could change what a pasted line does. */
function isPrintable(text: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
}

/**
 * The command that continues a session, from the agent's own command with the placeholder SESSION. Undefined if none is
 * known, or if the id could be read as an option.
 */
export function resumeOf(
  { track }: Pick<MergedTrack, "track">,
  command: string | undefined,
): ResumeCommand | undefined {
  const { session, cwd } = track;
  if (command === undefined || session.startsWith("-") || !isPrintable(session)) return undefined;
  const words = command.split(" ").map((word) => (word === "SESSION" ? session : word));
  const line = words.map(shellWord).join(" ");
  if (cwd === undefined || !isPrintable(cwd)) return { words, line };
  return { words, cwd, line: `cd ${shellWord(cwd)} && ${line}` };
}
