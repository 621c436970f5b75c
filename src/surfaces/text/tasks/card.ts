import type { TaskDetail } from "../../../tasks/model.ts";
import type { Page } from "../draw/page.ts";
import { type Line, span, spread } from "../draw/spans.ts";
import { wrap } from "../draw/width.ts";
import { taskMark, taskStateLabel, taskTone } from "./labels.ts";

const INDENT = "  ";

/** One task in full. */
export function cardLines(page: Page, { task, blocks, children }: TaskDetail): readonly Line[] {
  const { marks, tones, width } = page;
  const dot = ` ${marks.separator} `;
  const available = width - INDENT.length;
  const facts = [
    `priority ${task.priority}`,
    ...(task.labels.length > 0 ? [page.safe(task.labels.join(", "))] : []),
    ...(task.attempts > 0 ? [`attempt ${task.attempts} of ${task.maxAttempts}`] : []),
    ...(task.notBefore === undefined || task.status !== "open"
      ? []
      : [`not before ${page.time(task.notBefore) ?? ""}`]),
    ...(task.deadline === undefined ? [] : [`deadline ${page.time(task.deadline) ?? ""}`]),
    ...(task.check === undefined ? [] : [`check ${page.safe(task.check)}`]),
    ...(task.epoch > 0 ? [`epoch ${task.epoch}`] : []),
    ...(task.owner !== undefined && task.status !== "claimed"
      ? [`last owner ${page.safe(task.owner)}`]
      : []),
  ];
  const dependencies = [
    ...named("blocked by", task.waitsFor),
    ...named(
      "was blocked by",
      task.blockedBy.filter((id) => !task.waitsFor.includes(id)),
    ),
    ...named("blocks", blocks),
    ...named("parent", task.parent === undefined ? [] : [task.parent]),
    ...named("subtasks", children),
  ];
  const origin = [
    `added ${page.time(task.createdAt) ?? ""}`,
    ...(task.author === undefined ? [] : [`by ${page.safe(task.author)}`]),
    ...(task.ref === undefined ? [] : [`ref ${page.safe(task.ref)}`]),
  ];
  const quiet = (text: string): Line[] =>
    wrap(text, available).map((line) => [span(INDENT), span(line, tones.dim)]);
  const paragraphs = (text: string, label = ""): Line[] =>
    text.split("\n").flatMap((paragraph, index) => {
      const lines = wrap(`${index === 0 ? label : ""}${page.whole(paragraph)}`, available);
      return (lines.length === 0 ? [""] : lines).map((line) => [
        span(`${INDENT}${line}`.trimEnd()),
      ]);
    });
  const title = [
    span(`${taskMark(page, task)} `, taskTone(page, task)),
    span(`${task.id} `, tones.dim),
    span(page.safe(task.subject), tones.bold),
  ];
  const state = [
    span(page.cut(taskStateLabel(page, task), Math.floor(width / 2)), taskTone(page, task)),
  ];
  return [
    spread(title, state, width, marks.ellipsis),
    ...quiet(facts.join(dot)),
    ...dependencies.flatMap(quiet),
    ...quiet(origin.join(" ")),
    ...(task.description === undefined ? [] : [[span("")], ...paragraphs(task.description)]),
    ...(task.reason === undefined ? [] : [[span("")], ...paragraphs(task.reason, "Reason: ")]),
    ...(task.evidence.length === 0 ? [] : [[span("")]]),
    ...task.evidence.flatMap((proof) => paragraphs(proof, "Evidence: ")),
    ...(Object.keys(task.metadata).length === 0
      ? []
      : [[span("")], ...quiet(page.safe(JSON.stringify(task.metadata)))]),
  ];
}

function named(relation: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`${relation} ${ids.join(", ")}`];
}
