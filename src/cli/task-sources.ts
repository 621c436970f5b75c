import { createHash } from "node:crypto";
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { readBacklog } from "../tasks/formats/backlog.ts";
import { readBeads } from "../tasks/formats/beads.ts";
import { readClaudeTasks } from "../tasks/formats/claude.ts";
import type { ForeignFile, Imported } from "../tasks/formats/format.ts";
import { readTaskExport } from "../tasks/formats/jsonl.ts";
import { readMarkdownTasks } from "../tasks/formats/markdown.ts";
import { readTaskMaster } from "../tasks/formats/task-master.ts";
import { NoAnswer, UsageError } from "./exit.ts";
import { type Input, readStdin, readTextFile } from "./input.ts";

export const SOURCES = ["beads", "task-master", "backlog", "claude", "markdown", "jsonl"] as const;
export type Source = (typeof SOURCES)[number];

const MAX_FILE = 256 * 1024 * 1024;

/** The tasks of another tool, from wherever it keeps them. */
export function readSource(given: string, wanted: Source | undefined): Imported {
  if (given === "-") {
    if (wanted === undefined || wanted === "backlog" || wanted === "claude")
      throw new UsageError(
        '"-" is one file: say of which kind, --from beads, task-master, markdown or jsonl.',
      );
    const content = textOf("The standard input", readStdin(MAX_FILE));
    // Nobody knows where it came from: the same text is the same source.
    return readFile(wanted, content, { source: shortHash(content), path: given });
  }
  const path = resolve(given);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new NoAnswer(`${given} does not exist. Name a file or a folder.`);
  // Two projects may both have a task 1: what is known of a task includes where it came from.
  const source = shortHash(realpathSync(path));
  if (!stats.isDirectory()) {
    const content = textOf(given, readTextFile(path, MAX_FILE));
    return readFile(wanted ?? kindOf(path, content), content, { source, path });
  }
  const inside = (wanted === undefined && fileInside(path)) || undefined;
  if (inside !== undefined) return readSource(inside, undefined);
  const kind = wanted ?? folderKind(path);
  if (kind === "backlog") return readBacklog(filesIn(path, backlogFolder(path), ".md"), source);
  if (kind === "claude") return readClaudeTasks(filesIn(path, path, ".json"), basename(path));
  throw new UsageError(`${given} is a folder; ${kind} is kept in a file. Name the file.`);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

function readFile(
  kind: Source,
  content: string,
  { source, path }: { readonly source: string; readonly path: string },
): Imported {
  switch (kind) {
    case "beads":
      return readBeads(content);
    case "task-master":
      return readTaskMaster(content, source);
    case "markdown":
      return readMarkdownTasks(content, source);
    case "jsonl":
      return readTaskExport(content, source);
    case "backlog":
      return readBacklog([{ path: "tasks/file.md", content }], source);
    case "claude":
      return readClaudeTasks([{ path: basename(path), content }], basename(dirname(path)));
  }
}

function textOf(name: string, input: Input): string {
  if (input.ok) return input.text;
  throw new NoAnswer(
    input.problem === "too_large"
      ? `${name} has more than ${MAX_FILE} bytes. Nothing was changed.`
      : `${name} is not UTF-8 text. Nothing was changed.`,
  );
}

function kindOf(path: string, content: string): Source {
  if (/\.(md|markdown)$/i.test(path)) return "markdown";
  if (/\.json$/i.test(path)) return "task-master";
  const line = content.split("\n").find((each) => each.trim() !== "") ?? "";
  if (/^\s*\{.*"title".*\}\s*$/.test(line) && /"(issue_type|dependencies|created_at)"/.test(line))
    return "beads";
  if (/\.jsonl$/i.test(path)) return /"subject"/.test(line) ? "jsonl" : "beads";
  throw new UsageError(`What kind of file is ${basename(path)}? Say --from ${SOURCES.join(", ")}.`);
}

const INSIDE = [
  ".beads/issues.jsonl",
  ".beads/beads.jsonl",
  ".taskmaster/tasks/tasks.json",
  "tasks/tasks.json",
  "issues.jsonl",
  "tasks.json",
];

function fileInside(path: string): string | undefined {
  return INSIDE.map((name) => join(path, name)).find((file) => existsSync(file));
}

function backlogFolder(path: string): string {
  const inner = join(path, "backlog");
  return existsSync(inner) ? inner : path;
}

function folderKind(path: string): Source {
  const folder = backlogFolder(path);
  if (existsSync(join(folder, "tasks"))) return "backlog";
  const names = readdirSync(path);
  if (names.some((name) => /^\d+\.json$/.test(name))) return "claude";
  if (names.some((name) => /^task-\d/i.test(name) && name.endsWith(".md"))) return "backlog";
  throw new NoAnswer(
    `${path} has no tasks of a kind that is known. Name the file, or say --from ${SOURCES.join(", ")}.`,
  );
}

/** Every file of a kind, with its path, in the order of numbers in their names. */
function filesIn(root: string, folder: string, ending: string): ForeignFile[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(
      (name) => name.endsWith(ending) && !/(^|[/\\])(node_modules|docs|decisions)[/\\]/.test(name),
    )
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return names.flatMap((name): ForeignFile[] => {
    const path = join(folder, name);
    if (!statSync(path).isFile() || basename(name).toLowerCase() === "readme.md") return [];
    const input = readTextFile(path, MAX_FILE);
    const shown = relative(root, path).replaceAll("\\", "/");
    return [{ path: shown, content: input.ok ? input.text : "" }];
  });
}
