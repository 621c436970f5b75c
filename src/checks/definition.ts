import { createHash } from "node:crypto";
import { parseDuration } from "../core/text/duration.ts";
import { forbiddenCharacter } from "../core/text/escape.ts";

/** A command that proves work, as a user or a repository defines it. */
export interface CheckDefinition {
  readonly name: string;
  /** A line for the shell. */
  readonly command: string;
  readonly timeoutMs: number;
  /** The directory in which it runs, relative to the repository, with `/`; empty for its root. */
  readonly directory: string;
  /** Names of ignored directories that are linked into the checkout. */
  readonly links: readonly string[];
}

export const DEFAULT_TIMEOUT = 10 * 60_000;
export const LONGEST_TIMEOUT = 24 * 60 * 60_000;
export const DEFAULT_LINKS: readonly string[] = ["node_modules", ".venv"];
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;
const MAX_COMMAND = 4_000;
const MAX_LINKS = 20;

/** Why a name cannot be used; undefined if it can. */
export function nameProblem(name: string): string | undefined {
  if (NAME.test(name)) return undefined;
  return 'Use up to 50 letters, digits, ".", "_" and "-", beginning with a letter or digit.';
}

/** Why a command cannot be used; undefined if it can. */
export function commandProblem(command: string): string | undefined {
  if (command.trim() === "") return "The command is empty.";
  if (command.length > MAX_COMMAND)
    return `The command has ${command.length} characters; at most ${MAX_COMMAND} are allowed.`;
  const bad = forbiddenCharacter(command);
  return bad === undefined ? undefined : `The command contains ${bad}. Write it on one line.`;
}

/** Reads a definition of a file; returns the problem if it is not one. */
export function readDefinition(name: string, value: unknown): CheckDefinition | string {
  const fields = typeof value === "string" ? { command: value } : value;
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    return "Write a command, or a table with command, timeout, directory and links.";
  const {
    command,
    timeout,
    directory = "",
    links = DEFAULT_LINKS,
  } = fields as Record<string, unknown>;
  const badName = nameProblem(name);
  if (badName !== undefined) return `Invalid name. ${badName}`;
  if (typeof command !== "string") return "The command is missing.";
  const badCommand = commandProblem(command);
  if (badCommand !== undefined) return badCommand;
  const timeoutMs = timeout === undefined ? DEFAULT_TIMEOUT : parseDuration(String(timeout));
  if (timeoutMs === undefined || timeoutMs > LONGEST_TIMEOUT)
    return `Invalid timeout ${JSON.stringify(timeout)}. Use a duration such as 90s, 5m or 1h, at most 24h.`;
  if (typeof directory !== "string" || !isInside(directory))
    return "Invalid directory. Use a path inside the repository.";
  const areNames =
    Array.isArray(links) && links.length <= MAX_LINKS && links.every((link) => isPlainName(link));
  if (!areNames) return `Invalid links. Use up to ${MAX_LINKS} names of directories.`;
  const inside = directory.split("/").filter((part) => part !== "" && part !== ".");
  return { name, command: command.trim(), timeoutMs, directory: inside.join("/"), links };
}

function isInside(directory: string): boolean {
  const isAbsolute = directory.startsWith("/") || /^[A-Za-z]:|\\/.test(directory);
  return !isAbsolute && !directory.split("/").includes("..") && !directory.includes("\0");
}

function isPlainName(name: unknown): name is string {
  return typeof name === "string" && /^[^/\\\0]+$/.test(name) && name !== "." && name !== "..";
}

/** Identifies the content of a definition: any change gives another hash. */
export function hashOf({ name, command, timeoutMs, directory, links }: CheckDefinition): string {
  const content = JSON.stringify([name, command, timeoutMs, directory, links]);
  return createHash("sha256").update(content).digest("hex");
}
