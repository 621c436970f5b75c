import type { TaskDetail } from "../../../tasks/model.ts";
import type { Page } from "../draw/page.ts";
import { type Line, span, spread } from "../draw/spans.ts";
import { wrap } from "../draw/width.ts";
import { markOf, markTone, stateOf } from "./words.ts";

const INDENT = "  ";

/** Everything of one task. */
export function cardLines(page: Page, { task, blocks, children }: TaskDetail): readonly Line[] {
  const { marks, tones, width } = page;
  const dot = ` ${marks.separator} `;
  const room = width - INDENT.length;
  const facts = [
    `priority ${task.priority}`,
    ...(task.labels.length > 0 ? [page.safe(task.labels.join(", "))] : []),
    ...(task.attempts > 0 ? [`attempt ${task.attempts} of ${task.maxAttempts}`] : []),
    ...(task.epoch > 0 ? [`epoch ${task.epoch}`] : []),
    ...(task.owner !== undefined && task.status !== "claimed"
      ? [`last held by ${page.safe(task.owner)}`]
      : []),
  ];
  const ties = [
    ...named("waits for", task.waitsFor),
    ...named(
      "waited for",
      task.blockedBy.filter((id) => !task.waitsFor.includes(id)),
    ),
    ...named("blocks", blocks),
    ...named("part of", task.parent === undefined ? [] : [task.parent]),
    ...named("parts", children),
  ];
  const origin = [
    `added ${page.time(task.createdAt) ?? ""}`,
    ...(task.author === undefined ? [] : [`by ${page.safe(task.author)}`]),
    ...(task.ref === undefined ? [] : [`known as ${page.safe(task.ref)}`]),
  ];
  const quiet = (text: string): Line[] =>
    wrap(text, room).map((line) => [span(INDENT), span(line, tones.dim)]);
  const said = (text: string, label = ""): Line[] =>
    text.split("\n").flatMap((paragraph, place) => {
      const lines = wrap(`${place === 0 ? label : ""}${page.whole(paragraph)}`, room);
      return (lines.length === 0 ? [""] : lines).map((line) => [
        span(`${INDENT}${line}`.trimEnd()),
      ]);
    });
  const title = [
    span(`${markOf(page, task)} `, markTone(page, task)),
    span(`${task.id} `, tones.dim),
    span(page.safe(task.subject), tones.bold),
  ];
  const state = [span(page.cut(stateOf(page, task), Math.floor(width / 2)), markTone(page, task))];
  return [
    spread(title, state, width, marks.ellipsis),
    ...quiet(facts.join(dot)),
    ...ties.flatMap(quiet),
    ...quiet(origin.join(" ")),
    ...(task.description === undefined ? [] : [[span("")], ...said(task.description)]),
    ...(task.reason === undefined ? [] : [[span("")], ...said(task.reason, "Reason: ")]),
    ...(task.evidence.length === 0 ? [] : [[span("")]]),
    ...task.evidence.flatMap((proof) => said(proof, "Evidence: ")),
    ...(Object.keys(task.metadata).length === 0
      ? []
      : [[span("")], ...quiet(page.safe(JSON.stringify(task.metadata)))]),
  ];
}

function named(what: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`${what} ${ids.join(", ")}`];
}
