import {
  type DiffCounts,
  diffPlans,
  hasDifferences,
  type StepDiff,
} from "../../../core/plan/diff.ts";
import {
  type PlacedComment,
  type PlanRevision,
  placedComments,
} from "../../../core/plan/revisions.ts";
import type { WordSpan } from "../../../core/plan/words.ts";
import type { Page } from "../draw/page.ts";
import type { Sgr } from "../draw/paint.ts";
import { type Line, span } from "../draw/spans.ts";
import { wrap } from "../draw/width.ts";

/** A plan and the earlier revision that it is compared with. */
export interface ComparedPlan {
  readonly revisions: readonly PlanRevision[];
  readonly before: PlanRevision;
  readonly after: PlanRevision;
}

/** The revisions to compare: the newest, and `base` or the one before. Undefined if there is none to compare with. */
export function comparedPlan(
  revisions: readonly PlanRevision[],
  base?: number,
): ComparedPlan | undefined {
  const after = revisions.at(-1);
  const before =
    base === undefined
      ? revisions.at(-2)
      : revisions.find(({ number }) => number === base && number !== after?.number);
  return before && after && { revisions, before, after };
}

/** `1 changed, 1 added, 1 removed since revision 1`; the last part only if there is room. */
export function diffSummary({ before, after }: ComparedPlan, isShort = false): string {
  const diff = diffPlans(before.text, after.text);
  const since = isShort ? "" : ` since revision ${before.number}`;
  return hasDifferences(diff) ? `${countsText(diff.counts)}${since}` : `nothing changed${since}`;
}

function countsText(counts: DiffCounts): string {
  const { changed, added, removed, moved } = counts;
  const parts = [
    [changed, "changed"],
    [added, "added"],
    [removed, "removed"],
    [moved, "moved"],
  ] as const;
  const words = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return words.length > 0 ? words.join(", ") : "text changed";
}

/** `You rejected revision 1 at 14:21: “Keep the card field.”`; undefined if the user did not reject it. */
export function rejectionText(page: Page, { before }: ComparedPlan): string | undefined {
  const { decision, number } = before;
  if (decision?.decision !== "rejected" || decision.by !== "user") return undefined;
  const comment = decision.comment === undefined ? "." : `: “${page.safe(decision.comment)}”`;
  return `You rejected revision ${number} at ${page.time(decision.at) ?? ""}${comment}`;
}

/** The steps of a plan, compared with an earlier revision, with the comments on each. */
export function planDiffLines(page: Page, compared: ComparedPlan): readonly Line[] {
  const { before, after, revisions } = compared;
  const diff = diffPlans(before.text, after.text);
  const comments = placedComments(revisions.filter(({ number }) => number <= after.number));
  const prose = (words: readonly WordSpan[]): readonly Line[] =>
    words.length === 0 ? [] : [...proseLines(page, words), []];
  const digits = String(
    Math.max(...diff.steps.map(({ from = 0, to = 0 }) => Math.max(from, to)), 0),
  ).length;
  return [
    ...prose(diff.intro),
    ...diff.steps.flatMap((step) => [
      ...stepLines(page, step, digits),
      ...commentLines(page, commentsOf(step, comments, compared), digits),
    ]),
    ...(diff.rest.length > 0 ? [[], ...proseLines(page, diff.rest)] : []),
  ];
}

function commentsOf(
  { from, to }: StepDiff,
  comments: readonly PlacedComment[],
  { before, after }: ComparedPlan,
): readonly PlacedComment[] {
  return comments.filter(({ places }) =>
    to !== undefined
      ? places.get(after.number) === to
      : from !== undefined && !places.has(after.number) && places.get(before.number) === from,
  );
}

/** Changed prose: what it was, then what it is. */
function proseLines(page: Page, words: readonly WordSpan[]): readonly Line[] {
  const text = (without: WordSpan["kind"]) => sideOf(words, without);
  if (words.every(({ kind }) => kind === "same")) return wrapped(page, text("removed"), "    ");
  const { struck, you } = page.tones;
  return [
    ...(text("added") === "" ? [] : wrapped(page, text("added"), "  - ", struck)),
    ...(text("removed") === "" ? [] : wrapped(page, text("removed"), "  + ", you)),
  ];
}

function stepLines(page: Page, step: StepDiff, digits: number): readonly Line[] {
  const { kind, from, to, words, detail, moved } = step;
  const { struck, you, dim } = page.tones;
  const line = (
    sign: string,
    number: number | undefined,
    without: WordSpan["kind"],
    tone?: Sgr,
  ) => [
    ...wrapped(
      page,
      `${sideOf(words, without)}${moved && sign !== "-" ? `  (moved from ${from})` : ""}`,
      `  ${sign} ${String(number ?? "").padStart(digits)}  `,
      tone,
    ),
    ...(sideOf(detail, without) === ""
      ? []
      : wrapped(page, sideOf(detail, without), " ".repeat(6 + digits), tone ?? dim)),
  ];
  switch (kind) {
    case "same":
      return line(" ", to, "removed");
    case "added":
      return line("+", to, "removed", you);
    case "removed":
      return line("-", from, "added", struck);
    case "changed":
      return [...line("-", from, "added", struck), ...line("+", to, "removed", you)];
  }
}

function commentLines(
  page: Page,
  comments: readonly PlacedComment[],
  digits: number,
): readonly Line[] {
  return comments.flatMap(({ by, revision, text }) =>
    wrapped(
      page,
      `${by === "user" ? "you" : by}, r${revision}: ${text}`,
      `${" ".repeat(6 + digits)}${page.marks.noteEdge} `,
    ),
  );
}

/** The text before (`added` left out) or after (`removed` left out). */
function sideOf(words: readonly WordSpan[], without: WordSpan["kind"]): string {
  return words
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join("");
}

function wrapped(page: Page, text: string, lead: string, tone?: Sgr): readonly Line[] {
  const lines = wrap(page.whole(text), Math.max(8, page.width - lead.length - 1));
  return lines.map((line, index) => [
    // The sign of a removed step is not struck out.
    span(
      index === 0 ? lead : " ".repeat(lead.length),
      tone === page.tones.struck ? page.tones.dim : (tone ?? page.tones.dim),
    ),
    span(line, tone),
  ]);
}
