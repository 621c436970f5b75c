import type { Home } from "../../home/open.ts";
import type { Exit } from "../io/exit.ts";
import type { Terminal } from "../io/terminal.ts";

/** Completions at this point: fixed words, or a kind that is looked up while completing. */
export type Completions =
  | readonly string[]
  | "sessions"
  | "agents"
  | "todos"
  | "tasks"
  | "tools"
  | "files"
  | "commands"
  | "settings";

export interface Option {
  readonly type: "string" | "boolean";
  /** Placeholder of the value in help, e.g. `DIR`. Required for strings. */
  readonly value?: string;
  /** One letter. */
  readonly short?: string;
  /** A noun phrase or an imperative, without a period. */
  readonly summary: string;
  /** Default value; help prints it as `(default: …)`. */
  readonly default?: string;
  /** The value may be left out; this one is used then. */
  readonly implied?: string;
  readonly completions?: Completions;
  readonly repeatable?: true;
  /**
   * The option belongs to one call, so a configuration file cannot set it: it names what the call is about, has a text of it, changes
   * how its output is read by a program, confirms or approves something, or removes data.
   */
  readonly perCall?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** For commands that read the session files of agents. */
export const HOME_OPTION = {
  type: "string",
  value: "DIR",
  summary: "Read the agents of another home directory, without Waymark's own lists",
  completions: "files",
  perCall: true,
} as const satisfies Option;

/** For commands whose JSON needs no further explanation. */
export const JSON_OPTION = {
  type: "boolean",
  summary: "Print JSON",
  perCall: true,
} as const satisfies Option;

export interface Argument {
  /** Placeholder in help, e.g. `TASK`. */
  readonly name: string;
  readonly summary: string;
  readonly optional?: boolean;
  /** Default value. */
  readonly default?: string;
  /** One or more. */
  readonly repeatable?: boolean;
  readonly completions?: Completions;
}

export interface Example {
  /** One or more shell lines. */
  readonly command: string;
  /** Comment printed above the example. */
  readonly comment: string;
}

type Values<O extends Options> = {
  readonly [Name in keyof O]?: ValueOf<O[Name]>;
};

export type OptionValue = string | boolean | readonly string[];

type ValueOf<T extends Option> = Option extends T
  ? OptionValue
  : T extends { readonly type: "boolean" }
    ? boolean
    : T extends { readonly repeatable: true }
      ? readonly string[]
      : string;

/** One invocation of a command. */
export interface Call<O extends Options = Options> {
  readonly values: Values<O>;
  readonly args: readonly string[];
  readonly terminal: Terminal;
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
}

/** A command as data: parsing, help, completion and the CLI reference are derived from it. */
export interface Command {
  /** First sentence of the help (default: the summary of its entry). */
  readonly description?: string;
  /** Usage after the name, one string per form (default: the arguments and `[options]`). */
  readonly usage?: readonly string[];
  readonly arguments: readonly Argument[];
  readonly options: Options;
  /** Alternatives to options that users expect and the command does not have, such as `--since`. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Runs although a configuration file is broken, without a message: it repairs or reports the file, or has no place for errors. */
  readonly toleratesBrokenFiles?: true;
  /** Paragraphs after the options. */
  readonly notes?: readonly string[];
  /** Only where the command gives a code its own meaning; `EXIT_CODES` has the general ones. */
  readonly exitCodes?: Readonly<Partial<Record<Exit, string>>>;
  readonly examples: readonly Example[];
  /** Names of related commands, e.g. `task done`. */
  readonly seeAlso?: readonly string[];
  run(call: Call): Promise<Exit>;
}

/** A command, loaded on demand, or a group of actions that the next word selects from. */
export type Entry = { readonly summary: string } & (
  | { readonly load: () => Promise<Command> }
  | {
      readonly actions: Entries;
      readonly notes?: readonly string[];
      readonly examples: readonly Example[];
    }
);

export type Entries = Readonly<Record<string, Entry>>;

export function defineCommand<const O extends Options>(
  command: Omit<Command, "run" | "options"> & {
    readonly options: O;
    run(call: Call<O>): Promise<Exit>;
  },
): Command {
  // Safe: `run` only receives values parsed by these options.
  return command as unknown as Command;
}
