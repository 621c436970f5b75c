import { toolNames } from "../../tools/names.ts";
import type { Command, Completions, Entries } from "../args/command.ts";
import { TOPICS } from "../args/topics.ts";
import { COMMANDS } from "../commands/index.ts";
import { settingWords } from "../config/key.ts";

/** Kinds that a script asks the program for while completing. */
export const DYNAMIC_KINDS = ["sessions", "agents", "todos", "tasks"] as const;
type DynamicKind = (typeof DYNAMIC_KINDS)[number];

/** Fixed words, words to ask the program for, or files. */
export type Candidates =
  | { readonly words: readonly string[] }
  | { readonly dynamic: DynamicKind }
  | { readonly files: true };

interface Flag {
  readonly name: string;
  readonly summary: string;
  /** Set for an option that takes a value. */
  readonly value?: Candidates;
}

/** The names, flags and arguments that can follow a command path. */
export interface CompletionPoint {
  readonly path: readonly string[];
  readonly names: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly Flag[];
  readonly argument?: Candidates;
  /** Words after a word: the values of a setting. */
  readonly after?: readonly { readonly word: string; readonly words: readonly string[] }[];
}

const HELP: readonly Flag[] = [{ name: "help", summary: "Show help" }];
const NOTHING: Candidates = { words: [] };

function candidatesOf(words: Completions | undefined): Candidates {
  // Filled in by `withSettings`, which has to load every command.
  if (words === "settings") return NOTHING;
  if (words === undefined) return NOTHING;
  if (words === "files") return { files: true };
  if (words === "commands") return { words: [...Object.keys(COMMANDS), ...Object.keys(TOPICS)] };
  if (words === "tools") return { words: toolNames() };
  if (typeof words !== "string") return { words };
  return { dynamic: words };
}

function flagsOf({ options }: Command): Flag[] {
  const flags = Object.entries(options).map(
    ([name, { type, summary, completions }]): Flag => ({
      name,
      summary,
      ...(type === "string" && { value: candidatesOf(completions) }),
    }),
  );
  return [...flags, ...HELP];
}

/** Points after `help GROUP`: the actions of the group. */
function pointsAfterHelp(
  { arguments: [first] }: Command,
  path: readonly string[],
): CompletionPoint[] {
  if (first?.completions !== "commands") return [];
  return Object.entries(COMMANDS).flatMap(([name, entry]) => {
    if (!("actions" in entry)) return [];
    const argument = { words: Object.keys(entry.actions) };
    return [{ path: [...path, name], names: [], flags: HELP, argument }];
  });
}

async function pointsOf(
  entries: Entries,
  path: readonly string[] = [],
  flags: readonly Flag[] = HELP,
): Promise<CompletionPoint[]> {
  const names = Object.entries(entries).map(([name, { summary }]) => ({ name, summary }));
  const here: CompletionPoint = { path, names, flags };
  const inner = await Promise.all(
    Object.entries(entries).map(async ([name, entry]): Promise<CompletionPoint[]> => {
      const own = [...path, name];
      if ("actions" in entry) return pointsOf(entry.actions, own);
      const command = await entry.load();
      const argument = candidatesOf(command.arguments[0]?.completions);
      const point = { path: own, names: [], flags: flagsOf(command), argument };
      return [point, ...pointsAfterHelp(command, own)];
    }),
  );
  return [here, ...inner.flat()];
}

/** Every completion point, derived from the commands. */
export async function completionPoints(): Promise<CompletionPoint[]> {
  const { defaultCommand: home } = await import("../commands/default.ts");
  return withSettings(await pointsOf(COMMANDS, [], flagsOf(home)));
}

/** Adds the keys of configuration files and their values. */
async function withSettings(points: readonly CompletionPoint[]): Promise<CompletionPoint[]> {
  const keys = await settingWords();
  const argument = { words: keys.map(({ word }) => word) };
  const after = keys.filter(({ words }) => words.length > 0);
  return points.map((point) => {
    const [group, action = ""] = point.path;
    if (group !== "config" || !["get", "set", "unset"].includes(action)) return point;
    return { ...point, argument, ...(action === "set" && { after }) };
  });
}
