/**
 * Name, color and command of an agent, as plain data. The build copies it to `generated/identities.ts`, so that the
 * page and the command line can show names without loading decoders.
 */
export interface Identity {
  /** Also the `agentType` of its events. */
  readonly id: string;
  /** The name shown to users. */
  readonly name: string;
  /** Two letters for narrow columns. */
  readonly code: string;
  /** The program and versions it was tested with, or other evidence such as "documentation only". */
  readonly basis: string;
  /** Default: a neutral color. */
  readonly color?: Color;
  /** AGENT in `waymark hook AGENT` and `waymark setup AGENT`. */
  readonly shortName?: string;
  /** The command that starts the agent. */
  readonly command?: string;
  /** Continues a session in a terminal; SESSION stands for its id. */
  readonly resumeCommand?: string;
  /** Prefixes of the names of its MCP clients. */
  readonly clients?: readonly string[];
  /** The field of an MCP request's `_meta` with the id of the tool call. */
  readonly callIdField?: string;
  /** The fields of an MCP request's `_meta` with the ids of the session and of the thread in it. */
  readonly sessionFields?: { readonly session: string; readonly agent: string };
  /** The environment variable of its commands that contains the session id. */
  readonly sessionVariable?: string;
  /** Runs `waymark statusline` and shows the output. */
  readonly showsStatusLine?: true;
  /** Runs a task and prints its live output, for `waymark pipe`. */
  readonly streamCommand?: string;
  /** Adds an MCP server; the name of the server follows. */
  readonly addServerCommand?: string;
  /** Help texts use this agent as the example. */
  readonly isExample?: true;
  /** Facts for the table of agents in the documentation, beside those that the build finds in the agent's folder. */
  readonly support?: Support;
}

export interface Support {
  /** Its page in `docs/guides/`. */
  readonly guide?: string;
  /** A remark on its live output; false if it has none that can be read. */
  readonly stream?: string | false;
  /** Sessions of subagents are known, with their lists if they have any. */
  readonly subagents?: true;
  /** The sources that show a permission prompt or a question while it is open. */
  readonly needsYou?: readonly ("hooks" | "session files" | "stream")[];
}

/** The name of an agent on the command line. */
export function shortNameOf({ id, shortName }: Pick<Identity, "id" | "shortName">): string {
  return shortName ?? id;
}

/** Colors that are readable on dark and on light backgrounds. */
export interface Color {
  /** Indexes of the 256-color palette. */
  readonly terminal: Shades<number>;
  /** CSS colors. */
  readonly page: Shades<string>;
}

interface Shades<T> {
  readonly dark: T;
  readonly light: T;
}
