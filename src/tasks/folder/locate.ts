import { existsSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CommandError } from "../../core/error.ts";
import { printScalar } from "../formats/backlog/yaml.ts";
import { createFile, prepareFolder } from "./write.ts";

/** Names that Backlog.md gives its folder. */
const NAMES = ["backlog", ".backlog"];
const PARTS = ["tasks", "completed", "drafts", "archive"];

/**
 * The folder of a project's task files: the named one, or the one that contains or is inside it.
 * A missing one is created with the layout of Backlog.md if tasks are `selected` for it, but not in a `dryRun`.
 */
export function locateFolder(
  cwd: string,
  given: string | undefined,
  { selected, dryRun }: { readonly selected: boolean; readonly dryRun: boolean },
): string {
  const named = resolve(cwd, given ?? ".");
  if (existsSync(named) && !statSync(named).isDirectory())
    throw new CommandError(`${given} is not a folder. Name the folder that has tasks/ in it.`);
  const found = foundIn(named);
  if (found !== undefined) return realpathSync(found);
  const folder = given === undefined ? join(named, "backlog") : named;
  if (!selected)
    throw new CommandError(
      `${given ?? "This directory"} has no task files. Name a folder of Backlog.md, or pass --all, --label or --task to write tasks to ${given ?? "backlog"}.`,
    );
  if (dryRun)
    throw new CommandError(
      `The folder ${given ?? "backlog"} has no task files yet, and --dry-run creates nothing. Run the command without --dry-run.`,
    );
  mkdirSync(folder, { recursive: true });
  const real = realpathSync(folder);
  for (const part of ["tasks", "completed", "archive/tasks"]) prepareFolder(real, part);
  if (!existsSync(join(real, "config.yml"))) createFile(real, "config.yml", configOf(real));
  return real;
}

function foundIn(named: string): string | undefined {
  if (isBacklog(named)) return named;
  const inner = NAMES.map((name) => join(named, name)).find((path) => isBacklog(path));
  if (inner !== undefined) return inner;
  let above = named;
  while (PARTS.includes(basename(above))) above = dirname(above);
  return above !== named && isBacklog(above) ? above : undefined;
}

function isBacklog(path: string): boolean {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere && existsSync(join(path, "tasks")) && statSync(join(path, "tasks")).isDirectory();
}

/** The settings that Backlog.md needs to open a folder. */
function configOf(folder: string): string {
  const name = NAMES.includes(basename(folder)) ? basename(dirname(folder)) : basename(folder);
  return [
    `project_name: ${printScalar(name === "" ? "project" : name)}`,
    'default_status: "To Do"',
    'statuses: ["To Do", "In Progress", "Done"]',
    "labels: []",
    "date_format: yyyy-mm-dd",
    'task_prefix: "task"',
    "",
  ].join("\n");
}
