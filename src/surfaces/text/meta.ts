import { evidenceStateOf, proofResult, staleText } from "../../core/checks/evidence-state.ts";
import type { Proof } from "../../core/checks/proof.ts";
import { taskLinkOf } from "../../core/list/task-link.ts";
import type { Todo } from "../../core/model.ts";
import { formatDuration, formatShortDuration } from "../../core/text/duration.ts";
import { evidenceLevelOf } from "../../core/views/evidence.ts";
import { isOpen, type Row, type View } from "../../core/views/view.ts";
import { evidenceTone } from "./draw/marks.ts";
import type { Page } from "./draw/page.ts";
import { GAP } from "./draw/spans.ts";
import { cells } from "./draw/width.ts";

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(" ");
}

/** Ids of todos that no longer block others. */
export function closedIds(view: View): ReadonlySet<string> {
  return new Set(view.rows.filter(({ todo }) => !isOpen(todo)).map(({ todo }) => todo.id));
}

function blockedByLabel(page: Page, { todo }: Row, closed: ReadonlySet<string>): string {
  const ids = (todo.blockedBy ?? []).filter((id) => !closed.has(id)).map(page.safe);
  return ids.length > 0 ? `blocked by ${ids.join(", ")}` : "";
}

function reportedLabels(
  page: Page,
  row: Row,
  available: number,
  time: string | undefined,
): string[] {
  const [first = "", ...others] = (row.todo.evidence ?? []).map(page.safe);
  const more = others.length > 0 ? `+${others.length}` : undefined;
  const reported = `reported: ${page.cut(first, Math.floor(available * 0.4))}`;
  return [
    joined(reported, more, time),
    joined(reported, more),
    `reported: ${page.cut(first, Math.floor(available * 0.2))}`,
    "reported",
  ];
}

function checkLabels(page: Page, { todo: { check } }: Row, available: number): string[] {
  const command = page.safe(check?.command ?? "");
  const time = page.time(check?.at);
  return [
    joined(page.cut(command, Math.floor(available * 0.4)), time),
    page.cut(command, Math.floor(available * 0.4)),
    page.cut(command, Math.floor(available * 0.2)),
    "verified",
  ];
}

/** Where Waymark ran the check. */
export function treeLabel(page: Page, { tree, inPlace }: Pick<Proof, "tree" | "inPlace">): string {
  if (inPlace || tree === "") return "in place";
  return `clean checkout ${shortTree(page, tree)}`;
}

function shortTree(page: Page, tree: string): string {
  return page.safe(tree.slice(0, 7));
}

function changedLabels(result: string): string[] {
  return [`${result}, but the checks changed`, "checks changed", "warning"];
}

/** The labels of a todo whose check Waymark ran; undefined if that run does not decide its evidence. */
function proofLabels(page: Page, todo: Todo, available: number): string[] | undefined {
  const { proof, check } = todo;
  const state = evidenceStateOf(todo);
  if (state === "warned" && check && evidenceLevelOf(todo) === "verified")
    return changedLabels(joined("verified", page.time(check.at)));
  if (!proof) return undefined;
  const at = page.time(proof.at);
  const command = page.cut(page.safe(proof.command), Math.floor(available * 0.4));
  switch (state) {
    case "stale": {
      const stale = staleText(proof);
      return [`${joined("reproduced", at)}, ${stale}`, stale, "stale"];
    }
    case "reproduced":
      return [
        joined(`${command}, ${treeLabel(page, proof)}`, at),
        joined(command, at),
        joined("reproduced", shortTree(page, proof.tree)),
        "reproduced",
      ];
    case "warned":
      return changedLabels(joined("passed", at));
    case "failed": {
      const result = `check ${proofResult(proof)}`;
      return [joined(`${command}:`, result, at), joined(result, at), result, "check failed"];
    }
    default:
      return undefined;
  }
}

/** Labels to the right of a todo, from the longest to the shortest. */
export function metaLabels(
  page: Page,
  row: Row,
  closed: ReadonlySet<string>,
  available: number,
): readonly string[] {
  const { todo } = row;
  const time = page.time(todo.finishedAt);
  const link = taskLinkOf(todo);
  const task = link && `task ${link.task}`;
  const owner = todo.owner === undefined ? undefined : page.cut(page.safe(todo.owner), 16);
  switch (todo.status) {
    case "completed": {
      const proven = proofLabels(page, todo, available);
      if (proven) return proven;
      if (row.evidenceLevel === "verified") return checkLabels(page, row, available);
      if (row.evidenceLevel === "reported") return reportedLabels(page, row, available, time);
      const who = todo.movedBy === "user" ? "you" : owner;
      const level = "unverified";
      return [joined(who ? `${level}, by ${who}` : level, time), joined(level, time), level];
    }
    case "cancelled": {
      const who = todo.movedBy === "user" ? "by you" : undefined;
      return [joined("cancelled", who, time), joined("cancelled", who), "cancelled"];
    }
    case "in_progress": {
      const who = [task, owner].filter(Boolean).join(", ");
      if (row.elapsed === undefined) return [who];
      const elapsed = formatDuration(row.elapsed);
      return [joined(who, elapsed), elapsed, formatShortDuration(row.elapsed)];
    }
    case "blocked": {
      const blockers = blockedByLabel(page, row, closed);
      const reason = page.safe(todo.blocker ?? "");
      const short = page.cut(reason, Math.floor(available * 0.4));
      if (blockers) return reason ? [`${blockers}: ${short}`, blockers] : [blockers];
      return reason ? [short, page.cut(reason, 10)] : ["blocked"];
    }
    case "pending": {
      const blockers = blockedByLabel(page, row, closed);
      const all = [task, owner, blockers].filter(Boolean);
      return all.length > 1 ? [all.join(", "), all.at(-1) ?? ""] : [all[0] ?? ""];
    }
  }
}

/** Proof stays quiet; what weakens it does not. */
export function metaTone({ tones }: Page, row: Row) {
  if (row.todo.status === "blocked") return tones.watch;
  const tone = evidenceTone(tones, row);
  return tone === undefined || tone === tones.verified ? tones.dim : tone;
}

/**
 * The longest label that leaves the text `wanted` cells, or else a readable width; or else the
 * shortest label.
 */
export function chooseLabel(labels: readonly string[], wanted: number, available: number): string {
  const leaving = (needed: number) =>
    labels.find((label) => cells(label) + GAP + needed <= available);
  const enough = Math.max(30, Math.floor(available * 0.55));
  const shortest = labels.at(-1) ?? "";
  return (
    leaving(wanted) ??
    leaving(enough) ??
    (cells(shortest) + GAP + Math.floor(available / 3) <= available ? shortest : "")
  );
}
