import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { parse, TomlError } from "smol-toml";
import { nearest } from "../core/text/nearest.ts";
import { lineOf } from "../setup/edit/document.ts";
import { scan } from "../setup/edit/toml-scan.ts";
import { SETTINGS, type Setting } from "./settings.ts";
import { TABLES } from "./tables.ts";
import { decodeValue } from "./value.ts";

export type FileKind = "user" | "project";

/** Something wrong with a configuration file. */
export interface Problem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The path of the key, if the problem is one of its keys. */
  readonly key?: readonly string[];
  /** Sentences: what is wrong and what to do. */
  readonly message: string;
  /** Commands refuse to run. The others are reported, and the key is ignored. */
  readonly isFatal: boolean;
}

export interface ConfigFile {
  readonly kind: FileKind;
  readonly path: string;
  /** Undefined if the file does not exist or cannot be read. */
  readonly text?: string;
  /** The values of environment variables, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Defaults of options: the tables of the commands, not checked. */
  readonly tables: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
}

const MAX_BYTES = 256 * 1024;
/** Problems of one file that are kept. */
const MAX_PROBLEMS = 100;

/** Reads and checks a configuration file. Never throws: what is wrong becomes a problem. */
export function readConfigFile(
  path: string,
  kind: FileKind,
  env: Readonly<Record<string, string | undefined>>,
): ConfigFile {
  const empty = { kind, path, variables: {}, tables: {}, problems: [] };
  try {
    const text = textOf(path, kind);
    return text === undefined ? empty : { ...empty, text, ...contentOf(text, path, kind, env) };
  } catch (error) {
    const isFatal = kind === "user";
    const found = error instanceof TomlError ? tomlProblem(error) : unreadable(error);
    return { ...empty, problems: [{ file: path, isFatal, ...found }] };
  }
}

/** Checks a text as the content of a file. */
export function checkConfigText(
  text: string,
  path: string,
  kind: FileKind,
  env: Readonly<Record<string, string | undefined>>,
): readonly Problem[] {
  try {
    return contentOf(text, path, kind, env).problems;
  } catch (error) {
    const found = error instanceof TomlError ? tomlProblem(error) : unreadable(error);
    return [{ file: path, isFatal: kind === "user", ...found }];
  }
}

function tomlProblem(error: TomlError): Pick<Problem, "line" | "column" | "message"> {
  const [first = ""] = error.message.split("\n");
  const what = first.replace(/^Invalid TOML document: /, "").replace(/(?<![.:])[.:]+$/, "");
  return { line: error.line, column: error.column, message: `Not valid TOML (${what}).` };
}

function unreadable(error: unknown): Pick<Problem, "message"> {
  const { code, message } = error as NodeJS.ErrnoException;
  // The parser is recursive: deeply nested values exhaust its stack.
  if (error instanceof RangeError) return { message: "The values are nested too deeply." };
  const why = code === "EACCES" || code === "EPERM" ? "permission denied" : message;
  return {
    message: code === undefined ? why : `Cannot be read: ${why}. Check its owner and mode.`,
  };
}

/** Throws if there is a file that cannot be read. */
function textOf(path: string, kind: FileKind): string | undefined {
  // The target of a link may be outside of the repository.
  if (kind === "project" && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error("It is a symlink. Replace it with a file.");
  let handle: number;
  try {
    // Opening a FIFO would block.
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new Error("It is not a regular file. Move it away.");
    if (stats.size > MAX_BYTES)
      throw new Error(`It is larger than ${MAX_BYTES / 1024} KiB. Make it smaller.`);
    const bytes = Buffer.alloc(MAX_BYTES);
    let size = 0;
    for (let count = -1; count !== 0 && size < bytes.length; size += count)
      count = readSync(handle, bytes, size, bytes.length - size, null);
    return utf8(bytes.subarray(0, size));
  } finally {
    closeSync(handle);
  }
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error("It is not UTF-8. Save it as UTF-8.");
  }
}

type Content = Pick<ConfigFile, "variables" | "tables" | "problems">;

/** Throws a `TomlError` if the text is not TOML. */
function contentOf(
  text: string,
  file: string,
  kind: FileKind,
  env: Readonly<Record<string, string | undefined>>,
): Content {
  const data: Record<string, unknown> = parse(text.replace(/^\ufeff/, ""));
  const variables: Record<string, string> = {};
  const tables: Record<string, unknown> = {};
  const problems: Problem[] = [];
  const place = { folder: dirname(file), home: env.HOME || env.USERPROFILE, join, isAbsolute };
  const report = (key: string, message: string, isFatal: boolean) => {
    if (problems.length < MAX_PROBLEMS)
      problems.push({ file, ...positionOf(text, [key]), key: [key], message, isFatal });
  };
  for (const [key, value] of Object.entries(data)) {
    const shown = JSON.stringify(key.slice(0, 60));
    const setting = SETTINGS.find((each) => each.key === key);
    if (setting) {
      const refusal = refusalOf(setting, kind);
      const decoded = refusal === undefined ? decodeValue(setting, value, place) : undefined;
      if (refusal !== undefined) report(key, refusal, kind === "user");
      else if (decoded && "text" in decoded) variables[setting.variable] = decoded.text;
      else if (decoded) report(key, `Invalid ${key}. ${decoded.problem}`, kind === "user");
    } else if (TABLES.includes(key)) {
      if (kind === "user") tables[key] = value;
      else
        report(
          key,
          `A project file cannot set defaults of options. Move [${key}] to your own file: waymark config edit.`,
          false,
        );
    } else {
      const meant = nearest(key, [...SETTINGS.map((each) => each.key), ...TABLES]);
      const hint =
        meant === undefined
          ? "Run `waymark help environment` for a list."
          : `Did you mean "${meant}"?`;
      report(key, `Unknown setting ${shown}. ${hint}`, false);
    }
  }
  return { variables, tables, problems };
}

/** Why a file cannot set this, or undefined. */
export function refusalOf(
  { key, variable, environmentOnly, project }: Setting,
  kind: FileKind,
): string | undefined {
  if (environmentOnly !== undefined)
    return `${key} cannot be set in a file: ${environmentOnly}. Set ${variable} instead.`;
  if (kind === "project" && !project)
    return `A project file cannot set ${key}, because a repository must not decide that for you. Move it to your own file: waymark config set ${key} VALUE.`;
  return undefined;
}

/** The position of a key in a valid text. */
export function positionOf(text: string, key: readonly string[]): Pick<Problem, "line" | "column"> {
  const statements = scan(text);
  const isBelow = ({ path }: { readonly path: readonly string[] }) =>
    key.every((name, index) => path[index] === name);
  const found = statements.find(isBelow);
  if (!found) return {};
  const line = text.slice(found.start, found.end);
  return { line: lineOf(text, found.start), column: line.length - line.trimStart().length + 1 };
}

/** `~/.config/waymark/config.toml:9:1` */
export function locationOf(
  { file, line, column }: Problem,
  short = (path: string) => path,
): string {
  return [short(file), line, column].filter((part) => part !== undefined).join(":");
}
