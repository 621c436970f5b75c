import { isAbsolute, posix, win32 } from "node:path";
import { isObject, type Value } from "./edit/document.ts";

/** How a command starts Waymark. */
interface Start {
  /** The arguments of Waymark itself. */
  readonly args: readonly string[];
  /** Whether setup writes the program in this form. */
  readonly isSetupForm: boolean;
  /** Absolute paths of the programs and scripts that it needs. */
  readonly files: readonly string[];
}

const SCRIPT = /[/\\]bin[/\\]waymark\.js$/;

const nameOf = (word: string) => word.split(/[/\\]/).at(-1)?.toLowerCase() ?? "";
const isPath = (word: string) => posix.isAbsolute(word) || win32.isAbsolute(word);

/** Undefined if the words start another program, such as a wrapper that starts Waymark. */
function startOf(words: readonly string[]): Start | undefined {
  const [first = "", second = "", ...rest] = words;
  const name = nameOf(first);
  const files = [first, second].filter(isAbsolute);
  // A variable before the command, or `env` before such variables.
  if (name === "env" || /^[A-Za-z_]\w*=/.test(first)) {
    const start = startOf(words.slice(1));
    return start && { ...start, isSetupForm: false };
  }
  if (name === "waymark-hook") {
    const start = startOf(words.slice(1));
    return start && { ...start, files: [...files, ...start.files] };
  }
  if (/^waymark(?:\.js|\.cmd|\.exe)?$/.test(name))
    return {
      args: words.slice(1),
      isSetupForm: first === "waymark",
      files: files.slice(0, isAbsolute(first) ? 1 : 0),
    };
  if (
    /^(?:node(?:js)?|bun)[\d.]*(?:\.exe)?$/.test(name) &&
    /^waymark(?:\.js)?$/.test(nameOf(second))
  )
    return {
      args: rest,
      isSetupForm: isPath(first) && isPath(second) && SCRIPT.test(second),
      files,
    };
  if (/^(?:npx|bunx|pnpx)(?:\.cmd)?$/.test(name)) {
    const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
    if (/^waymark(?:@[\w.^~-]+)?$/.test(words[at] ?? ""))
      return { args: words.slice(at + 1), isSetupForm: false, files: [] };
  }
  return undefined;
}

const WORD =
  /(?:(?:(?:~|\$HOME|\$\{HOME\})\/)?[\w@%+=:,./-]+|'(?:[^']|'\\'')*'|"[^"$`]*")(?=\s|$)/y;

/** Splits a command line into words; undefined if a shell would expand, chain or redirect anything in it. */
function wordsOf(line: string): readonly string[] | undefined {
  const words: string[] = [];
  const text = line.trim();
  for (WORD.lastIndex = 0; WORD.lastIndex < text.length; ) {
    const [word] = WORD.exec(text) ?? [];
    if (word === undefined) return undefined;
    words.push(
      word.startsWith("'")
        ? word.slice(1, -1).replaceAll("'\\''", "'")
        : word.replace(/^"(.*)"$/s, "$1"),
    );
    while (/\s/.test(text[WORD.lastIndex] ?? "")) WORD.lastIndex++;
  }
  return words;
}

/** A hook command line that only starts Waymark. */
export interface HookCall extends Start {
  readonly agent: string;
  readonly event: string;
}

/** Suffixes that only change the output or the exit code. */
/** Longer commands do more than start Waymark. */
const MAX_COMMAND = 1_000;
const ENDING = /(?:\s+(?:[12&]?>+\s*\/dev\/null|2>&1|\|\|\s*(?:true|:|exit 0)))+\s*;?\s*$/;

export function hookCall(command: Value | undefined): HookCall | undefined {
  if (typeof command !== "string" || command.length > MAX_COMMAND) return undefined;
  const bare = command.replace(ENDING, "");
  const found = startOf(wordsOf(bare) ?? []);
  const start = found && { ...found, asSetupDoes: found.isSetupForm && bare === command };
  if (start?.args[0] !== "hook") return undefined;
  const [agent = "", event = "", ...more] = start.args
    .slice(1)
    .filter((arg) => !arg.startsWith("-"));
  return agent === "" || event === "" || more.length > 0 ? undefined : { ...start, agent, event };
}

/** Whether a command contains a Waymark hook command without being one, such as a wrapper, a chain or an echo. */
export function namesHook(command: Value | undefined): boolean {
  if (typeof command !== "string") return false;
  const start = command.search(/waymark\b/);
  return start !== -1 && /\bhook\s/.test(command.slice(start + 7)) && !hookCall(command);
}

export function isStatusLineOfSetup(value: { readonly [name: string]: Value }): boolean {
  const { command } = value;
  const start = typeof command === "string" ? startOf(wordsOf(command) ?? []) : undefined;
  return start?.isSetupForm === true && start.args.join(" ") === "statusline";
}

/**
 * `waymark`: the entry runs Waymark's MCP server. `unknown`: it runs another program, such as a container or a
 * script, or names a URL. `nothing`: it is disabled, or names neither a command nor a URL.
 */
export type ServerKind = "waymark" | "unknown" | "nothing";

export function serverKind(entry: Value | undefined): ServerKind {
  if (!isObject(entry) || entry.enabled === false || entry.disabled === true) return "nothing";
  if (serverStart(entry)) return "waymark";
  const address = entry.url ?? entry.httpUrl ?? entry.serverUrl;
  const runs = serverWords(entry).length > 0 || (typeof address === "string" && address !== "");
  return runs ? "unknown" : "nothing";
}

export function serverStart(entry: { readonly [name: string]: Value }): Start | undefined {
  const start = startOf(serverWords(entry));
  return start?.args[0] === "mcp" ? start : undefined;
}

function serverWords({ command, args }: { readonly [name: string]: Value }): readonly string[] {
  const words = [command, args].flat().filter((word) => typeof word === "string");
  return command === undefined || command === "" ? [] : words;
}

/** Whether some version of setup writes this command and these arguments. */
export function isServerOfSetup(entry: { readonly [name: string]: Value }): boolean {
  const start = serverStart(entry);
  return (
    start?.isSetupForm === true &&
    /^mcp(?: --tools todos,[\w,-]+)?(?: --off-in [\w,-]+)?$/.test(start.args.join(" "))
  );
}
