/**
 * Plain data. The build copies it to `generated/identities.ts`, so that the page and the command line need
 * not load decoders to show a name.
 */
export interface Identity {
  /** Also the agent type of its events. */
  readonly id: string;
  /** The name that people read, on every surface. */
  readonly name: string;
  /** Two letters for narrow columns. */
  readonly code: string;
  /** The program and versions that it was tested with, or what else it is based on. */
  readonly proof: string;
  /** Default: the common color of agents without one. */
  readonly color?: Color;
  /** AGENT in `waymark hook AGENT` and `waymark setup AGENT`. */
  readonly shortName?: string;
  /** The command that starts it. */
  readonly command?: string;
  /** How the names of its MCP clients start. */
  readonly clients?: readonly string[];
  /** The field of an MCP request's `_meta` that holds the id of the tool call. */
  readonly callIdField?: string;
  /** The fields of an MCP request's `_meta` that name the session and the thread within it. */
  readonly sessionFields?: { readonly session: string; readonly agent: string };
  /** The variable that names the session in the environment of its commands. */
  readonly sessionVariable?: string;
  /** It runs `waymark statusline` and shows the output. */
  readonly showsStatusLine?: true;
  /** The command that runs a task and prints its live output, for `waymark pipe`. */
  readonly streamCommand?: string;
  /** The command that adds an MCP server, up to the name of the server. */
  readonly addServerCommand?: string;
  /** Help texts use this agent as their example. */
  readonly isExample?: true;
}

/** Readable on a dark and on a light background. */
export interface Color {
  /** Numbers of the 256-color palette. */
  readonly terminal: Shades<number>;
  /** As in CSS. */
  readonly page: Shades<string>;
}

interface Shades<T> {
  readonly dark: T;
  readonly light: T;
}
