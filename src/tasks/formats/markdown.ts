import { parseMarkdown, printMarkdown } from "../../core/markdown.ts";
import type { Draft, Status } from "../../core/model.ts";
import type { Task, TaskDraft } from "../model.ts";
import { present, priority } from "./fields.ts";
import type { Imported } from "./format.ts";

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
  const seen = new Map<string, number>();
  const refOf = (name: string) => `markdown:${source}:${name}`;
  const refOfText = ({ text, phase }: Draft) => {
    const said = `${phase ?? ""}\n${text}`;
    const times = (seen.get(said) ?? 0) + 1;
    seen.set(said, times);
    return refOf(`${fingerprint(said)}${times > 1 ? `.${times}` : ""}`);
  };
  return {
    drafts: drafts.map((draft) => {
      const { ref, phase, notes, activeText, blockedBy, parent, evidence } = draft;
      return present<TaskDraft>({
        subject: draft.text,
        description: notes?.length ? notes.join("\n\n") : undefined,
        activeText: activeText ?? undefined,
        priority: priority(draft.priority),
        labels: phase == null ? [] : [phase],
        parent: parent == null ? undefined : refOf(parent),
        blockedBy: (blockedBy ?? []).map(refOf),
        evidence: evidence ?? undefined,
        ref: ref == null ? refOfText(draft) : refOf(ref),
        status: STATUS[draft.status ?? "pending"],
      });
    }),
    skipped: problems.map(({ line, message }) => ({ where: `line ${line}`, why: message })),
  };
}

/** The same text has the same; nothing secret hangs on it. */
function fingerprint(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let place = 0; place < text.length; place++) {
    const unit = text.charCodeAt(place);
    low = Math.imul(low ^ unit, 0x01000193) >>> 0;
    high = Math.imul(high ^ (unit + place), 0x85ebca6b) >>> 0;
  }
  return `${low.toString(36)}${high.toString(36)}`;
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
