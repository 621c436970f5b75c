import { parseMarkdown, printMarkdown } from "../../core/list/markdown.ts";
import type { Draft, Status } from "../../core/model.ts";
import type { Task, TaskDraft } from "../model.ts";
import { refsByContent } from "./content-ref.ts";
import { present, priority } from "./fields.ts";
import { type Imported, refsIn } from "./format.ts";
import type { TaskLines } from "./jsonl.ts";

const STATUS: Readonly<Record<Status, NonNullable<TaskDraft["status"]>>> = {
  pending: "open",
  in_progress: "open",
  blocked: "open",
  completed: "done",
  cancelled: "cancelled",
};

/** A checklist: headings become labels, notes become the description. */
export function readMarkdownTasks(content: string, source: string): Imported {
  const { drafts, problems } = parseMarkdown(content);
  const names = new Map<string, string>();
  const prefix = `markdown:${source}`;
  const refOf = refsIn(names, prefix);
  const refOfText = refsByContent(prefix);
  return {
    drafts: drafts.map((draft) => {
      const { ref, phase, blockedBy, parent } = draft;
      return present<TaskDraft>({
        ...ownFields(draft),
        parent: parent == null ? undefined : refOf(parent),
        blockedBy: (blockedBy ?? []).map(refOf),
        ref: ref == null ? refOfText(`${phase ?? ""}\n${draft.text}`) : refOf(ref),
      });
    }),
    skipped: problems.map(({ line, message }) => ({ where: `line ${line}`, why: message })),
    names,
  };
}

/** The tasks of a checklist, to be added in one call. The ref of an item is a name for that call. */
export function readMarkdownLines(content: string): TaskLines & { readonly ignored: number } {
  const { drafts, lines, problems, ignored } = parseMarkdown(content);
  return {
    drafts: drafts.map(({ ref, blockedBy, parent, ...draft }) =>
      present<TaskDraft>({
        ...ownFields(draft),
        parent: parent ?? undefined,
        blockedBy: blockedBy ?? [],
        name: ref ?? undefined,
      }),
    ),
    lines,
    problems: problems.map(({ line, message }) => ({ line, what: `cannot be read: ${message}.` })),
    ignored,
  };
}

/** The fields that do not refer to other tasks. */
function ownFields({ text, status, phase, notes, activeText, evidence, ...draft }: Draft) {
  return {
    subject: text,
    description: notes?.length ? notes.join("\n\n") : undefined,
    activeText: activeText ?? undefined,
    priority: priority(draft.priority),
    labels: phase == null ? [] : [phase],
    evidence: evidence ?? undefined,
    status: STATUS[status ?? "pending"],
  };
}

const MARKS: Readonly<Record<Task["status"], Status>> = {
  open: "pending",
  claimed: "in_progress",
  done: "completed",
  failed: "blocked",
  cancelled: "cancelled",
};

export function printTaskMarkdown(tasks: readonly Task[]): string {
  return printMarkdown(
    tasks.map(
      (task): Draft => ({
        text: task.subject,
        status: MARKS[task.status],
        ref: task.id,
        priority: String(task.priority),
        ...(task.description !== undefined && { notes: [task.description] }),
        ...(task.activeText !== undefined && { activeText: task.activeText }),
        ...(task.blockedBy.length > 0 && { blockedBy: task.blockedBy }),
        ...(task.parent !== undefined && { parent: task.parent }),
        ...(task.owner !== undefined && { owner: task.owner }),
        ...(task.evidence.length > 0 && { evidence: task.evidence }),
      }),
    ),
  );
}
