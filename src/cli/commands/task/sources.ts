import { createHash } from "node:crypto";
import { existsSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { TASK_FILES } from "../../../agents/task-files.ts";
import { CommandError, UsageError, WaymarkError } from "../../../core/error.ts";
import { readBacklog } from "../../../tasks/formats/backlog.ts";
import { readBeads } from "../../../tasks/formats/beads.ts";
import type { ExternalFile, Imported, Skipped } from "../../../tasks/formats/format.ts";
import { readTaskExport } from "../../../tasks/formats/jsonl.ts";
import { readMarkdownTasks } from "../../../tasks/formats/markdown.ts";
import { readTaskMaster } from "../../../tasks/formats/task-master.ts";
import { type Input, readStdin, readTextFile, unreadable } from "../../io/input.ts";

const FIXED = ["beads", "task-master", "backlog", "markdown", "jsonl"] as const;
export const SOURCES: readonly string[] = FIXED.flatMap((kind) =>
  kind === "markdown" ? [...TASK_FILES.map((agent) => agent.kind), kind] : [kind],
);

const agentOf = (kind: string | undefined) => TASK_FILES.find((agent) => agent.kind === kind);

const ADVICE = "Name a file or a folder.";
const MAX_FILE = 256 * 1024 * 1024;

/** Reads the tasks of another tool from its file or folder. */
export function readSource(given: string, wanted: string | undefined): Imported {
  if (given === "-") {
    if (wanted === undefined || wanted === "backlog" || agentOf(wanted))
      throw new UsageError("Standard input needs --from: beads, task-master, markdown or jsonl.");
    const content = textOf("Standard input", readStdin(MAX_FILE));
    // There is no path to identify the source, so its content does.
    return readFile(wanted, content, { source: shortHash(content), path: given });
  }
  const path = resolve(given);
  if (!statsOf(given).isDirectory()) {
    const content = textOf(given, readTextFile(path, MAX_FILE));
    const source = shortHash(realpathSync(path));
    return readFile(wanted ?? kindOf(path, content), content, { source, path });
  }
  const inside = (wanted === undefined && fileInside(path)) || undefined;
  if (inside !== undefined) return readSource(inside, undefined);
  const kind = wanted ?? folderKind(path);
  if (kind === "backlog") return readBacklogFolder(backlogFolder(path));
  const agent = agentOf(kind);
  if (agent) {
    const { files, skipped } = filesIn(path, path, ".json");
    return withSkipped(agent.read(files, basename(path)), skipped);
  }
  throw new UsageError(`${given} is a folder, but ${kind} uses a file. Name the file.`);
}

function statsOf(given: string): Stats {
  try {
    return statSync(resolve(given));
  } catch (cause) {
    throw unreadable(given, cause, ADVICE);
  }
}

/** Part of the ref of a task: two projects may both have a task 1. */
function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

function readFile(
  kind: string,
  content: string,
  { source, path }: { readonly source: string; readonly path: string },
): Imported {
  const agent = agentOf(kind);
  if (agent) return agent.read([{ path: basename(path), content }], basename(dirname(path)));
  switch (kind) {
    case "beads":
      return readBeads(content);
    case "task-master":
      return readTaskMaster(content, source);
    case "markdown":
      return readMarkdownTasks(content, source);
    case "backlog": {
      const file = realpathSync(path);
      const home = backlogHome(dirname(file));
      return readBacklog([{ path: shownIn(home, file), content }], shortHash(home));
    }
    default:
      return readTaskExport(content, source);
  }
}

const PROBLEMS = {
  too_large: `is larger than ${MAX_FILE} bytes`,
  not_utf8: "is not UTF-8 text",
} as const;

function textOf(name: string, input: Input): string {
  if (input.ok) return input.text;
  throw new CommandError(`${name} ${PROBLEMS[input.problem]}. Nothing was changed.`);
}

function kindOf(path: string, content: string): string {
  if (/\.(md|markdown)$/i.test(path)) return "markdown";
  if (/\.json$/i.test(path)) return "task-master";
  const line = (content.split("\n").find((each) => each.trim() !== "") ?? "").trim();
  if (
    /^\{.*\}$/.test(line) &&
    line.includes('"title"') &&
    /"(issue_type|dependencies|created_at)"/.test(line)
  )
    return "beads";
  if (/\.jsonl$/i.test(path)) return /"subject"/.test(line) ? "jsonl" : "beads";
  throw new UsageError(`Unknown format of ${basename(path)}. Pass --from: ${SOURCES.join(", ")}.`);
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

const BACKLOG_PARTS = ["tasks", "completed", "drafts", "archive"];

/** The root folder of a backlog, also for one of its subfolders. */
function backlogHome(folder: string): string {
  let home = realpathSync(folder);
  while (BACKLOG_PARTS.includes(basename(home))) home = dirname(home);
  return home;
}

function readBacklogFolder(folder: string): Imported {
  const home = backlogHome(folder);
  const { files, skipped } = filesIn(home, realpathSync(folder), ".md");
  return withSkipped(readBacklog(files, shortHash(home)), skipped);
}

function withSkipped(imported: Imported, skipped: readonly Skipped[]): Imported {
  return { ...imported, skipped: [...skipped, ...imported.skipped] };
}

function folderKind(path: string): string {
  const folder = backlogFolder(path);
  if (existsSync(join(folder, "tasks"))) return "backlog";
  const names = namesIn(path, false);
  const agent = TASK_FILES.find(({ file }) => names.some((name) => file.test(name)));
  if (agent) return agent.kind;
  if (names.some((name) => /^task-\d/i.test(name) && name.endsWith(".md"))) return "backlog";
  throw new CommandError(
    `No tasks found in ${path}. Name the file, or pass --from: ${SOURCES.join(", ")}.`,
  );
}

function shownIn(root: string, path: string): string {
  return relative(root, path).replaceAll("\\", "/");
}

/** All files with this extension, ordered by the numbers in their names. */
function filesIn(
  root: string,
  folder: string,
  ending: string,
): { readonly files: readonly ExternalFile[]; readonly skipped: readonly Skipped[] } {
  const names = namesIn(folder, true)
    .filter(
      (name) => name.endsWith(ending) && !/(^|[/\\])(node_modules|docs|decisions)[/\\]/.test(name),
    )
    .filter((name) => basename(name).toLowerCase() !== "readme.md")
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const files: ExternalFile[] = [];
  const skipped: Skipped[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const where = shownIn(root, path);
    try {
      if (!statSync(path).isFile()) continue;
      const input = readTextFile(path, MAX_FILE);
      if (input.ok) files.push({ path: where, content: input.text });
      else skipped.push({ where, why: PROBLEMS[input.problem] });
    } catch (error) {
      skipped.push({ where, why: whyNot(error) });
    }
  }
  return { files, skipped };
}

function namesIn(folder: string, recursive: boolean): readonly string[] {
  try {
    return readdirSync(folder, { recursive, encoding: "utf8" });
  } catch (cause) {
    throw unreadable(folder, cause, ADVICE);
  }
}

function whyNot(error: unknown): string {
  const cause = error instanceof WaymarkError ? error.cause : error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return code === "ENOENT" ? "is a broken link" : `cannot be read (${message})`;
}
