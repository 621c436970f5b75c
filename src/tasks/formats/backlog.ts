import type { Fields } from "../../core/values.ts";
import type { TaskDraft } from "../model.ts";
import { present, priority, rest, status, text, texts, time } from "./fields.ts";
import { type ExternalFile, type Imported, refsIn, type Skipped } from "./format.ts";

const KNOWN = [
  "id",
  "title",
  "status",
  "priority",
  "labels",
  "dependencies",
  "parent_task_id",
  "parent",
  "created_date",
  "updated_date",
  "completed_date",
  "reporter",
];

/** Backlog.md: one Markdown file per task, with its fields in the front matter. */
export function readBacklog(files: readonly ExternalFile[], source: string): Imported {
  const drafts: TaskDraft[] = [];
  const skipped: Skipped[] = [];
  const names = new Map<string, string>();
  const known = refsIn(names, `backlog:${source}`);
  const refOf = (id: string) => known(id.toLowerCase());
  for (const { path, content } of files) {
    const read = frontMatter(content);
    const id = text(read?.fields.id);
    const title = text(read?.fields.title);
    if (!read || id === undefined || title === undefined) {
      skipped.push({ where: path, why: "has no id and title at its top" });
      continue;
    }
    const { fields, body } = read;
    const archived = /(?:^|\/)archive\//.test(path) ? "cancelled" : undefined;
    const stands = /(?:^|\/)completed\//.test(path) ? "done" : (archived ?? status(fields.status));
    const original = text(fields.status);
    const parent = text(fields.parent_task_id ?? fields.parent);
    const description = body
      .replace(/<!--[\s\S]*?-->\n?/g, "")
      .replace(/^\s*## Description\s*\n/, "")
      .trim();
    drafts.push(
      present<TaskDraft>({
        subject: title,
        description: description === "" ? undefined : description,
        priority: priority(fields.priority),
        labels: texts(fields.labels),
        parent: parent === undefined ? undefined : refOf(parent),
        blockedBy: texts(fields.dependencies).map(refOf),
        metadata: {
          ...rest(fields, KNOWN),
          ...(stands === "open" && original !== undefined && !/^to.?do$/i.test(original)
            ? { status: original }
            : {}),
        },
        ref: refOf(id),
        author: text(fields.reporter),
        status: stands,
        createdAt: time(fields.created_date),
        finishedAt:
          stands === "open" ? undefined : time(fields.completed_date ?? fields.updated_date),
      }),
    );
  }
  return { drafts, skipped, names };
}

function frontMatter(
  content: string,
): { readonly fields: Fields; readonly body: string } | undefined {
  const found = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(content);
  if (!found) return undefined;
  return { fields: yamlFields(found[1] ?? ""), body: (found[2] ?? "").replace(/\r\n/g, "\n") };
}

/**
 * The subset of YAML that such files use: words, quoted strings, and lists on one line or several.
 */
function yamlFields(written: string): Fields {
  const fields: Record<string, unknown> = {};
  let open: string[] | undefined;
  for (const line of written.split(/\r?\n/)) {
    const entry = /^\s+-\s+(.*)$/.exec(line) ?? /^-\s+(.*)$/.exec(line);
    if (entry && open) {
      open.push(scalar(entry[1] ?? ""));
      continue;
    }
    const pair = /^([\w-]+):\s*(.*)$/.exec(line);
    if (!pair) continue;
    const [, name = "", value = ""] = pair;
    open = undefined;
    if (value === "") {
      open = [];
      fields[name] = open;
    } else if (value.startsWith("[")) {
      fields[name] = value
        .replace(/^\[|\]\s*$/g, "")
        .split(",")
        .map(scalar)
        .filter((each) => each !== "");
    } else fields[name] = scalar(value);
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  );
}

function scalar(written: string): string {
  const given = written.trim();
  if (given.length > 1 && given.startsWith("'") && given.endsWith("'"))
    return given.slice(1, -1).replaceAll("''", "'");
  if (given.length > 1 && given.startsWith('"') && given.endsWith('"'))
    return given.slice(1, -1).replace(/\\(["\\])/g, "$1");
  return given;
}
