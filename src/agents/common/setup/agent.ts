import type { Situation } from "../../../core/guidance/situation.ts";
import type { Machine } from "../../agent.ts";
import type { Program } from "./commands.ts";
import type { ConfigItem } from "./config-item.ts";

/** Which list tool the model gets: Waymark's, or the agent's own, which Waymark then observes. */
export type Mode = "waymark" | "native";

/** The tools of `waymark mcp` besides the list, in this order. */
export const EXTRAS = ["tasks", "claude-tasks", "plan"] as const;
export type Extra = (typeof EXTRAS)[number];

/** The input of a setup: it determines which files get which entries. */
export interface SetupRequest {
  readonly mode: Mode;
  readonly machine: Machine;
  /** The repository to configure, instead of the user's configuration. */
  readonly project?: string | undefined;
  readonly program: Program;
  /** Tools for the model besides the list. */
  readonly extras?: readonly Extra[];
  /** Operations during which the model may not write the list. */
  readonly offIn?: readonly Situation[];
  /** The version of the agent, if known. */
  readonly version?: string | undefined;
  /** Whether a file or directory exists. */
  exists(path: string): boolean;
}

/** A configuration file and the items that setup wants in it. */
export type DesiredFile =
  | {
      readonly format: "json" | "toml";
      readonly path: string;
      readonly items: readonly ConfigItem[];
      /** Keys that the agent adds by itself. A file with no other keys counts as empty. */
      readonly ignoredKeys?: readonly string[];
    }
  | OwnedFile;

/** A file that setup owns as a whole. */
export interface OwnedFile {
  readonly format: "own";
  readonly path: string;
  readonly content?: string;
  /** The start of every version of the file. A file without it belongs to the user. */
  readonly marker: string;
  /** Whether a text is what this version writes, for any installation of Waymark. */
  isUnchanged(text: string): boolean;
}

/** An agent that `waymark setup` supports. */
export interface SetupAgent extends AgentSetup {
  /** AGENT in `waymark setup AGENT`. */
  readonly agent: string;
  /** The id of the agent. */
  readonly id: string;
  readonly name: string;
  /** The command that starts the agent. */
  readonly command: string;
}

/** The configuration files of one agent and the items that setup puts into them. */
export interface AgentSetup {
  /** The hooks of the agent cannot deny a call. */
  readonly cannotDeny?: true;
  /** Only the MCP server is set up: Waymark has no hooks for the agent, and cannot turn its own list on or off. */
  readonly serverOnly?: true;
  /** The agent has no configuration for a project. */
  readonly userOnly?: true;
  /** The name shown by setup (default: the name of the agent). */
  readonly name?: string;
  /** The command whose existence means that the agent is installed (default: the command that starts it). */
  readonly program?: string;
  /** The items depend on the version of the agent. */
  readonly versionSpecific?: true;
  /** The configuration directory. Its existence means that the agent is in use. */
  folder(machine: Machine): string;
  /** The files, in the order in which they are shown and written. */
  files(request: SetupRequest): readonly DesiredFile[];
  /** The names of the hook events to subscribe to. */
  events(request: Pick<SetupRequest, "mode" | "version">): readonly string[];
  /** Notes for the user: what to do or to know after setup. */
  notes(request: SetupRequest): readonly string[];
}
