import { toolNames } from "../../tools/names.ts";
import type { Command, Entries, Words } from "../args/command.ts";
import { COMMANDS } from "../commands/index.ts";

/** What a script asks the program for at the moment of completing. */
export const ASKED = ["sessions", "agents", "todos", "tasks"] as const;
type Asked = (typeof ASKED)[number];

/** What can stand somewhere: fixed words, words to be asked for, or files. */
export type Offer =
  | { readonly words: readonly string[] }
  | { readonly ask: Asked }
  | { readonly files: true };

interface Flag {
  readonly name: string;
  readonly summary: string;
  /** There for an option that takes a value. */
  readonly value?: Offer;
}

/** One place of the command line: behind these words come these names, flags and arguments. */
export interface Place {
  readonly path: readonly string[];
  readonly names: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly Flag[];
  readonly argument?: Offer;
}

const HELP: readonly Flag[] = [{ name: "help", summary: "Show help" }];
const NOTHING: Offer = { words: [] };

function offerOf(words: Words | undefined): Offer {
  if (words === undefined) return NOTHING;
  if (words === "files") return { files: true };
  if (words === "commands") return { words: Object.keys(COMMANDS) };
  if (words === "tools") return { words: toolNames() };
  if (typeof words !== "string") return { words };
  return { ask: words };
}

function flagsOf({ options }: Command): Flag[] {
  const flags = Object.entries(options).map(
    ([name, { type, summary, words }]): Flag => ({
      name,
      summary,
      ...(type === "string" && { value: offerOf(words) }),
    }),
  );
  return [...flags, ...HELP];
}

/** Behind a command that explains others: the actions of those that have some. */
function placesBehind({ arguments: [first] }: Command, path: readonly string[]): Place[] {
  if (first?.words !== "commands") return [];
  return Object.entries(COMMANDS).flatMap(([name, entry]) => {
    if (!("actions" in entry)) return [];
    const argument = { words: Object.keys(entry.actions) };
    return [{ path: [...path, name], names: [], flags: HELP, argument }];
  });
}

async function placesOf(
  entries: Entries,
  path: readonly string[] = [],
  flags: readonly Flag[] = HELP,
): Promise<Place[]> {
  const names = Object.entries(entries).map(([name, { summary }]) => ({ name, summary }));
  const here: Place = { path, names, flags };
  const inner = await Promise.all(
    Object.entries(entries).map(async ([name, entry]): Promise<Place[]> => {
      const own = [...path, name];
      if ("actions" in entry) return placesOf(entry.actions, own);
      const command = await entry.load();
      const argument = offerOf(command.arguments[0]?.words);
      const place = { path: own, names: [], flags: flagsOf(command), argument };
      return [place, ...placesBehind(command, own)];
    }),
  );
  return [here, ...inner.flat()];
}

/** Every place of the command line, from the tables of the commands. */
export async function everyPlace(): Promise<Place[]> {
  const { home } = await import("../commands/home.ts");
  return placesOf(COMMANDS, [], flagsOf(home));
}
