import { cutGraphemes, oneLine } from "../text/escape.ts";

/** One step of a plan. */
export interface PlanStep {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

interface Found {
  readonly kind: "checklist" | "heading" | "numbered" | "bullet";
  readonly indent: number;
  readonly text: string;
  /** Its heading announces steps. */
  readonly announced: boolean;
  /** Index of its line. */
  readonly line: number;
}

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^#{1,6}\s+(.*)$/s;
const STEP_HEADING = /^(?:(?:step|phase|task|stage)\s+)?\d{1,3}\s*[.:)\u2013\u2014-]\s*(\S.*)$/i;
const CHECKLIST = /^(\s*)(?:[-*+]|\d{1,3}[.)])\s+\[[^\]]\]\s+(\S.*)$/;
const NUMBERED = /^(\s*)\d{1,3}[.)]\s+(\S.*)$/;
const BULLET = /^(\s*)[-*+]\s+(\S.*)$/;
const ANNOUNCES = /\b(?:steps?|plan|implementation|tasks?|todos?|changes|approach|phases?|work)\b/i;

const MAX_TEXT = 500;
const MAX_STEPS = 1_000;

/** A line that is neither a heading nor a step. */
const PROSE = /^\s{0,3}\p{L}/u;
const MAX_SUMMARY = 200;

/** `5 steps. Move the sessions into their own table.` */
export function planSummary(markdown: string): string {
  const steps = stepsOf(markdown).length;
  const first = markdown.split("\n").find((line) => PROSE.test(line)) ?? "";
  const count = steps > 0 ? `${steps} ${steps === 1 ? "step" : "steps"}` : "";
  const words = [count, oneLine(first)].filter(Boolean).join(". ");
  return cutGraphemes(words, MAX_SUMMARY) || "a plan";
}

/**
 * Extracts the steps of a plan: its checklist, otherwise its numbered headings, its numbered items, or
 * its bullets. Items under a heading that announces steps take precedence. Indented items explain a
 * step and are skipped, except in a checklist.
 */
export function stepsOf(markdown: string): readonly PlanStep[] {
  return locatedSteps(markdown).map(({ number, text }) => ({ number, text }));
}

/** The steps with the indexes of their lines. */
export function locatedSteps(markdown: string): readonly (PlanStep & { readonly line: number })[] {
  const found = findAll(markdown);
  const kinds = ["checklist", "heading", "numbered", "bullet"] as const;
  for (const kind of kinds) {
    const all = found.filter((each) => each.kind === kind);
    if (all.length < (kind === "heading" ? 2 : 1)) continue;
    const announced = all.filter((each) => each.announced);
    const meant = kind === "checklist" || announced.length === 0 ? all : announced;
    const outermost = Math.min(...meant.map(({ indent }) => indent));
    return meant
      .filter(({ indent }) => kind === "checklist" || indent === outermost)
      .slice(0, MAX_STEPS)
      .map(({ text, line }, index) => ({ number: index + 1, text, line }));
  }
  return [];
}

function findAll(markdown: string): readonly Found[] {
  const found: Found[] = [];
  let fenced = false;
  let announced = false;
  for (const [at, line] of markdown.split(/\r?\n/).entries()) {
    if (FENCE.test(line)) fenced = !fenced;
    if (fenced) continue;
    const heading = headingOf(line);
    if (heading !== undefined) {
      announced = ANNOUNCES.test(heading);
      const step = STEP_HEADING.exec(heading)?.[1];
      if (step !== undefined) add(found, at, "heading", 0, step, false);
      continue;
    }
    const checklist = CHECKLIST.exec(line);
    const numbered = NUMBERED.exec(line);
    const bullet = BULLET.exec(line);
    if (checklist) add(found, at, "checklist", widthOf(checklist[1]), checklist[2], announced);
    else if (numbered) add(found, at, "numbered", widthOf(numbered[1]), numbered[2], announced);
    else if (bullet) add(found, at, "bullet", widthOf(bullet[1]), bullet[2], announced);
  }
  return found;
}

function add(
  found: Found[],
  line: number,
  kind: Found["kind"],
  indent: number,
  markdown: string | undefined,
  announced: boolean,
): void {
  const text = plain(markdown ?? "");
  if (text !== "") found.push({ kind, indent, text, announced, line });
}

function widthOf(space = ""): number {
  return space.replaceAll("\t", "    ").length;
}

export function isFence(line: string): boolean {
  return FENCE.test(line);
}

function headingOf(line: string): string | undefined {
  return HEADING.exec(line)?.[1]
    ?.replace(/(?<!#)#+$/, "")
    .trimEnd();
}

export function isHeading(line: string): boolean {
  return HEADING.test(line);
}

/** A line of Markdown as plain text, without the marks of headings and items. */
export function plainLine(line: string): string {
  const text =
    headingOf(line) ??
    CHECKLIST.exec(line)?.[2] ??
    NUMBERED.exec(line)?.[2] ??
    BULLET.exec(line)?.[2];
  return plain(text ?? line);
}

/** Removes emphasis, and replaces links with their text. */
function plain(markdown: string): string {
  const text = markdown
    .replace(/\[([^\]]{1,300})\]\([^)\s]{1,1000}\)/g, "$1")
    .replace(/(\*\*|__)(?=\S)([^*_]{1,400}?\S)\1/g, "$2");
  return cutGraphemes(oneLine(text), MAX_TEXT);
}

/** The text without the backticks around code: a todo is plain text. */
export function withoutCode(text: string): string {
  return text.replace(/(`{1,3})([^`]{1,400})\1/g, "$2").trim() || text;
}
