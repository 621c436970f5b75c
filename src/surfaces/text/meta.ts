import { taskLinkOf } from "../../core/list/task-link.ts";
import { duration } from "../../core/text/duration.ts";
import { isOpen, type Row, type View } from "../../core/views/view.ts";
import { roughly } from "./draw/duration.ts";
import type { Page } from "./draw/page.ts";
import { GAP } from "./draw/spans.ts";
import { cells } from "./draw/width.ts";

function joined(...words: readonly (string | undefined)[]): string {
  return words.filter(Boolean).join(" ");
}

/** Ids of the todos that nothing waits for any more. */
export function closedIds(view: View): ReadonlySet<string> {
  return new Set(view.rows.filter(({ todo }) => !isOpen(todo)).map(({ todo }) => todo.id));
}

function waitsFor(page: Page, { todo }: Row, closed: ReadonlySet<string>): string {
  const ids = (todo.blockedBy ?? []).filter((id) => !closed.has(id)).map(page.safe);
  return ids.length > 0 ? `waits for ${ids.join(", ")}` : "";
}

function givenWords(page: Page, row: Row, room: number, time: string | undefined): string[] {
  const [first = "", ...others] = (row.todo.evidence ?? []).map(page.safe);
  const more = others.length > 0 ? `+${others.length}` : undefined;
  const given = `given: ${page.cut(first, Math.floor(room * 0.4))}`;
  return [
    joined(given, more, time),
    joined(given, more),
    `given: ${page.cut(first, Math.floor(room * 0.2))}`,
    "given",
  ];
}

function checkWords(page: Page, { todo: { check } }: Row, room: number): string[] {
  const command = page.safe(check?.command ?? "");
  const time = page.time(check?.at);
  return [
    joined(page.cut(command, Math.floor(room * 0.4)), time),
    page.cut(command, Math.floor(room * 0.4)),
    page.cut(command, Math.floor(room * 0.2)),
    "verified",
  ];
}

/** What is said beside a todo, from all there is to the least that still helps. */
export function metaWords(
  page: Page,
  row: Row,
  closed: ReadonlySet<string>,
  room: number,
): readonly string[] {
  const { todo } = row;
  const time = page.time(todo.finishedAt);
  const link = taskLinkOf(todo);
  const task = link && `task ${link.task}`;
  const owner = todo.owner === undefined ? undefined : page.cut(page.safe(todo.owner), 16);
  switch (todo.status) {
    case "completed": {
      if (row.proof === "verified") return checkWords(page, row, room);
      if (row.proof === "given") return givenWords(page, row, room, time);
      const who = todo.movedBy === "user" ? "you" : owner;
      return [joined("claimed", who && `by ${who}`, time), joined("claimed", time), "claimed"];
    }
    case "cancelled": {
      const who = todo.movedBy === "user" ? "by you" : undefined;
      return [joined("dropped", who, time), joined("dropped", who), "dropped"];
    }
    case "in_progress": {
      const who = [task, owner].filter(Boolean).join(", ");
      if (row.elapsed === undefined) return [who];
      const elapsed = duration(row.elapsed);
      return [joined(who, elapsed), elapsed, roughly(row.elapsed)];
    }
    case "blocked": {
      const waits = waitsFor(page, row, closed);
      const reason = page.safe(todo.blocker ?? "");
      const short = page.cut(reason, Math.floor(room * 0.4));
      if (waits) return reason ? [`${waits}: ${short}`, waits] : [waits];
      return reason ? [short, page.cut(reason, 10)] : ["blocked"];
    }
    case "pending": {
      const waits = waitsFor(page, row, closed);
      const all = [task, owner, waits].filter(Boolean);
      return all.length > 1 ? [all.join(", "), all.at(-1) ?? ""] : [all[0] ?? ""];
    }
  }
}

/**
 * The longest words that leave the text the cells it wants, else the longest that leave it enough
 * to be read, else the shortest.
 */
export function chooseWords(words: readonly string[], wanted: number, room: number): string {
  const leaving = (needed: number) => words.find((word) => cells(word) + GAP + needed <= room);
  const enough = Math.max(30, Math.floor(room * 0.55));
  const shortest = words.at(-1) ?? "";
  return (
    leaving(wanted) ??
    leaving(enough) ??
    (cells(shortest) + GAP + Math.floor(room / 3) <= room ? shortest : "")
  );
}
