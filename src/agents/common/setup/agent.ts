import type { Situation } from "../../../core/guidance/situation.ts";
import type { Machine } from "../../agent.ts";
import type { Program } from "./commands.ts";
import type { Wish } from "./wish.ts";

/** Whose list the model is given: Waymark's tool, or the agent's own with Waymark watching. */
export type Mode = "waymark" | "native";

/** What `waymark mcp` can give a model besides the list, in this order. */
export const EXTRAS = ["tasks", "claude-tasks", "plan"] as const;
export type Extra = (typeof EXTRAS)[number];

/** Everything that decides what is written where. */
export interface Occasion {
  readonly mode: Mode;
  readonly machine: Machine;
  /** The repository whose own configuration is meant, instead of the user's. */
  readonly project?: string | undefined;
  readonly program: Program;
  /** What its model is given besides the list. */
  readonly extras?: readonly Extra[];
  /** Operations during which its model may not write the list. */
  readonly offIn?: readonly Situation[];
  /** Of the agent, where it is known. */
  readonly version?: string | undefined;
  /** Whether a file or a folder is there. */
  exists(path: string): boolean;
}

/** One file, and what should stand in it. */
export type FileWishes =
  | {
      readonly format: "json" | "toml";
      readonly path: string;
      readonly wishes: readonly Wish[];
      /** Names that the agent puts into its file by itself; a file with nothing else holds nothing. */
      readonly agentsOwn?: readonly string[];
    }
  | OwnFile;

/** A file that is ours as a whole. */
export interface OwnFile {
  readonly format: "own";
  readonly path: string;
  readonly content?: string;
  /** How every version of it starts: a file without it was written by someone else. */
  readonly mark: string;
  /** Whether the text is what this version writes, with the commands of any installation. */
  isUnchanged(text: string): boolean;
}

/** An agent that can be set up. */
export interface AgentSetup extends SetupPart {
  /** AGENT in `waymark setup AGENT`. */
  readonly agent: string;
  /** Id of the agent. */
  readonly dialect: string;
  readonly name: string;
  /** What it is started as. */
  readonly command: string;
}

/** Where an agent's configuration is and what setting it up means. */
export interface SetupPart {
  /** Its hooks cannot refuse a call. */
  readonly cannotRefuse?: true;
  /** Whether what is written depends on the version of the program. */
  readonly byVersion?: true;
  /** The folder whose presence says that the agent is used here. */
  folder(machine: Machine): string;
  /** In the order in which they are shown and written. */
  files(occasion: Occasion): readonly FileWishes[];
  /** The events that are hooked, as the agent calls them. */
  events(occasion: Pick<Occasion, "mode" | "version">): readonly string[];
  /** What the user has to do, or to know. */
  remarks(occasion: Occasion): readonly string[];
}
