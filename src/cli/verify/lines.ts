import type { VerifyRequest, VerifyResult, VerifyStep } from "../../checks/request.ts";
import { TAMPER_TEXTS } from "../../core/checks/tamper.ts";
import { formatTime } from "../../core/text/clock.ts";
import { counted } from "../../core/text/count.ts";
import { terminalLine } from "../../core/text/escape.ts";
import type { EvidenceLevel } from "../../core/views/evidence.ts";
import { cells, cut } from "../../surfaces/text/draw/width.ts";
import type { Terminal } from "../io/terminal.ts";

export type Style = Pick<Terminal, "width" | "unicode" | "color">;

const SHORT = 10;
const MAX_OUTPUT = 20;
const NAME_CELLS = 15;

interface Glyphs {
  readonly passed: string;
  readonly failed: string;
  readonly warned: string;
  readonly separator: string;
  readonly ellipsis: string;
}

const UNICODE: Glyphs = {
  passed: "✓",
  failed: "✗",
  warned: "!",
  separator: "·",
  ellipsis: "…",
};
const ASCII: Glyphs = { passed: "+", failed: "x", warned: "!", separator: "-", ellipsis: "..." };

export function glyphs({ unicode }: Pick<Style, "unicode">): Glyphs {
  return unicode ? UNICODE : ASCII;
}

function painted(text: string, sgr: string, { color }: Pick<Style, "color">): string {
  return color ? `\u001b[${sgr}m${text}\u001b[0m` : text;
}

const SGR = /\u001b\[[\d;]*m/g;
const GREEN = "32";
const RED = "31";
const YELLOW = "33";

/** `0.4s`, `41.2s`, `2m 14s`. */
export function seconds(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  return `${Math.floor(ms / 60_000)}m ${Math.floor((ms % 60_000) / 1000)}s`;
}

/** A line of a step: mark, name, details, and the time at the right. */
export function stepLine(
  mark: string,
  name: string,
  detail: string,
  right: string,
  style: Style,
): string {
  const { ellipsis } = glyphs(style);
  const start = `  ${mark} ${name.padEnd(NAME_CELLS)}  `;
  const width = Math.min(style.width - 1, 100);
  // Colors of the mark take no space.
  const used = cells(start.replace(SGR, "")) + cells(right) + 2;
  const room = Math.max(10, width - used);
  const shown = cut(terminalLine(detail), room, ellipsis);
  return `${start}${shown}${" ".repeat(Math.max(1, room - cells(shown) + 2))}${right}`.trimEnd();
}

/** The line of a finished step; undefined for steps that have none. */
export function doneLine(
  step: VerifyStep,
  { check, command }: { readonly check: string; readonly command: string },
  style: Style,
): string | undefined {
  const { passed, failed } = glyphs(style);
  switch (step.step) {
    case "waiting":
      return "  Waiting: this check is already running for this repository.";
    case "checkout": {
      const { tree, changed, durationMs } = step;
      const files = changed === 0 ? "no changes" : counted(changed, "changed file");
      const detail = `tree ${tree.slice(0, SHORT)}, ${files}`;
      return stepLine(passed, "clean checkout", detail, seconds(durationMs), style);
    }
    case "links": {
      const detail = `${step.names.join(", ")} linked`;
      return stepLine(passed, "dependencies", detail, seconds(step.durationMs), style);
    }
    case "ended": {
      const how = step.exitCode === null ? "" : `exit ${step.exitCode}  `;
      const mark = painted(step.ok ? passed : failed, step.ok ? GREEN : RED, style);
      return stepLine(mark, check, command, `${how}${seconds(step.durationMs)}`, style);
    }
    default:
      return undefined;
  }
}

const LEVEL_MARKS: Readonly<Record<EvidenceLevel, number>> = {
  reproduced: 3,
  verified: 2,
  reported: 1,
  unverified: 1,
};

/** The result of a run, escaped. */
export function resultLines(
  result: VerifyResult,
  request: Pick<VerifyRequest, "todo" | "todos" | "task">,
  style: Style,
  now: number,
): readonly string[] {
  if (!result.ok) return failureLines(result, style);
  const { passed } = glyphs(style);
  const { tree, warnings, proofs, inPlace } = result;
  const where = inPlace ? "in place, outside of git" : `on tree ${tree.slice(0, SHORT)}`;
  const time = formatTime(now, now) ?? "";
  if (warnings.length > 0) return ["", ...warningLines(result, request, style)];
  const recorded = recordedText(request, proofs.length);
  return [
    "",
    `${painted(passed.repeat(LEVEL_MARKS.reproduced), GREEN, style)} reproduced  ${where}, ${time}${recorded}`,
  ];
}

function recordedText(
  { todo, todos = [], task }: Parameters<typeof resultLines>[1],
  count: number,
) {
  if (count === 0) return ". Nothing was recorded: no todo or task was named";
  if (task !== undefined) return `. Recorded for ${terminalLine(task)}`;
  const ids = [...(todo ? [todo] : []), ...todos].map(({ id }) => id);
  return `. Recorded for ${ids.length === 1 ? "todo" : "todos"} ${terminalLine(ids.join(", "))}`;
}

function warningLines(
  { warnings, proofs }: VerifyResult,
  { todo, todos = [] }: Parameters<typeof resultLines>[1],
  style: Style,
): readonly string[] {
  const { passed, warned, ellipsis } = glyphs(style);
  const mark = painted(`${passed}${passed}${warned}`, YELLOW, style);
  const [only, ...others] = [...(todo ? [todo] : []), ...todos];
  const which = only && others.length === 0 ? ` --todo ${terminalLine(only.id)}` : "";
  return [
    `${mark} passed, with ${counted(warnings.length, "warning")}: the checks themselves changed during the work`,
    ...warnings.flatMap(({ kind, file, line, text }) => [
      `  ${warned} ${terminalLine(file)}${line === null ? "" : `:${line}`}  ${TAMPER_TEXTS[kind]}`,
      `      ${cut(terminalLine(text), Math.max(20, style.width - 7), ellipsis)}`,
    ]),
    ...(proofs.length > 0
      ? [
          "",
          "Recorded with the warnings. It does not count as proven until you accept them:",
          `  waymark verify --accept${which}`,
        ]
      : []),
  ];
}

function failureLines(
  { output, reason = "", level, proofs }: VerifyResult,
  style: Style,
): readonly string[] {
  const { failed, ellipsis } = glyphs(style);
  const all = output === "" ? [] : output.split("\n");
  const shown = all.slice(-MAX_OUTPUT);
  const more = all.length - shown.length;
  const stays = proofs.some(({ todo }) => todo) ? ` Recorded; the evidence is now: ${level}.` : "";
  return [
    ...(shown.length > 0 ? [""] : []),
    ...(more > 0 ? [`    (${counted(more, "line")} before; --json prints the last 50)`] : []),
    ...shown.map(
      (line) => `    ${cut(terminalLine(line), Math.max(20, style.width - 5), ellipsis)}`,
    ),
    ...(shown.length > 0 ? [""] : []),
    `${painted(failed, RED, style)} not proven  ${terminalLine(reason)}${stays}`,
  ];
}
