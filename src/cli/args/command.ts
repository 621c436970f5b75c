import type { Home } from "../../home/open.ts";
import type { Exit } from "../io/exit.ts";
import type { Terminal } from "../io/terminal.ts";

/** What can stand in a place of the command line, for the completion of shells. */
export type Words =
  | readonly string[]
  | "sessions"
  | "agents"
  | "todos"
  | "tasks"
  | "tools"
  | "files"
  | "commands";

interface Option {
  readonly type: "string" | "boolean";
  /** What the value is called in the help. */
  readonly value?: string;
  readonly short?: string;
  readonly summary: string;
  readonly words?: Words;
  /** It can be given more than once. */
  readonly many?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** Of every command that looks at the agents' own files. */
export const HOME_OPTION = {
  type: "string",
  value: "DIR",
  summary: "The agents of another home directory, and none of our own lists",
  words: "files",
} as const satisfies Option;

export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly optional?: boolean;
  /** One or more of it. */
  readonly many?: boolean;
  readonly words?: Words;
}

export interface Example {
  readonly command: string;
  readonly says: string;
}

type Values<O extends Options> = {
  readonly [Name in keyof O]?: ValueOf<O[Name]>;
};

/** What an option can have been given. */
export type Given = string | boolean | readonly string[];

type ValueOf<T extends Option> = Option extends T
  ? Given
  : T extends { readonly type: "boolean" }
    ? boolean
    : T extends { readonly many: true }
      ? readonly string[]
      : string;

/** One call of a command. */
export interface Call<O extends Options = Options> {
  readonly values: Values<O>;
  readonly args: readonly string[];
  readonly terminal: Terminal;
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
}

/** One command: what it takes is declared, so that help and completion are made from it. */
export interface Command {
  /** Forms of the call; made from arguments and options when left out. */
  readonly usage?: readonly string[];
  readonly arguments: readonly Argument[];
  readonly options: Options;
  /** Paragraphs that stand at the end of the help. */
  readonly notes?: readonly string[];
  readonly examples: readonly Example[];
  run(call: Call): Promise<Exit>;
}

/** A command, or the actions that its first word chooses from. Neither is loaded before it is needed. */
export type Entry = { readonly summary: string } & (
  | { readonly load: () => Promise<Command> }
  | { readonly actions: Entries; readonly examples: readonly string[] }
);

export type Entries = Readonly<Record<string, Entry>>;

export function defineCommand<const O extends Options>(
  command: Omit<Command, "run" | "options"> & {
    readonly options: O;
    run(call: Call<O>): Promise<Exit>;
  },
): Command {
  // `run` is called with what the declared options were parsed into, and nothing else.
  return command as unknown as Command;
}
