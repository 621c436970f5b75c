import type { AgentPane, JumpAnswer } from "../../../core/jump.ts";
import { formatAgo } from "../../../core/text/duration.ts";
import type { Page } from "../../text/draw/page.ts";
import { type Line, span, spread } from "../../text/draw/spans.ts";
import { cells, padEnd, widest } from "../../text/draw/width.ts";
import { type Hint, hintLine, LAST_HINTS, type Pages } from "../pages/pages.ts";
import type { JumpNotice } from "../state.ts";

const NARROW = 60;
/** Panes that have a digit. */
export const MOST_PANES = 9;

/** The result of a jump, above the key hints. */
export function jumpLines(pages: Pages, notice: JumpNotice): readonly Line[] {
  const { still: page } = pages;
  const rule = span(page.marks.box.across.repeat(page.width), page.tones.edge);
  return [
    [rule],
    ...answerLines(page, notice),
    hintLine(pages, [...hintsOf(notice.answer), ...LAST_HINTS]),
  ];
}

function hintsOf(answer: JumpAnswer): readonly Hint[] {
  const close: Hint = ["esc", "close"];
  switch (answer.type) {
    case "went":
      return [["g", "go again"], close];
    case "choose": {
      const digits = answer.panes.slice(0, MOST_PANES).map((_, index) => index + 1);
      return [[digits.join(" "), "go"], close];
    }
    case "detached":
      return [["y", "copy again"], close];
    case "none":
      return [
        ...(answer.resume ? ([["y", "copy again"]] as const) : []),
        ...(canResume(answer) ? ([["enter", "resume here"]] as const) : []),
        close,
      ];
  }
}

/** A session that runs elsewhere, or may be running, is not started a second time. */
export function canResume(answer: JumpAnswer): boolean {
  return (
    answer.type === "none" && answer.resume !== undefined && !answer.running && !answer.machine
  );
}

/** The text that `y` copies. */
export function copiedText(answer: JumpAnswer): string | undefined {
  if (answer.type === "detached") return answer.attach;
  return answer.type === "none" ? answer.resume?.line : undefined;
}

function answerLines(page: Page, { name, answer, asks, isCopied }: JumpNotice): readonly Line[] {
  const { tones, marks, width } = page;
  const line = (head: string, rest = "", right = ""): Line =>
    spread(
      [span(` ${head}`, tones.bold), span(rest)],
      [span(right, tones.dim)],
      width,
      marks.ellipsis,
    );
  const plain = (text: string): Line => spread([span(` ${text}`)], [], width, marks.ellipsis);
  const copied = isCopied ? "Asked the terminal to copy it." : "";
  switch (answer.type) {
    case "went":
      return [
        line(`Went to ${name}`, `  ${paneLabel(page, answer.pane)}`, backLabel(answer.back)),
        plain(
          `The board keeps running here.${asks === undefined ? "" : ` ${name} asks: ${page.safe(asks)}`}`,
        ),
      ];
    case "choose": {
      const count = answer.panes.length;
      const head = `${count} ${count === 1 ? "pane" : "panes"} could be ${name}`;
      return [line(head, "  same directory"), ...paneRows(page, answer.panes.slice(0, MOST_PANES))];
    }
    case "detached":
      return [
        line(`${name} runs in a pane that no window shows`, `  ${paneLabel(page, answer.pane)}`),
        ...commandLines(page, "Attach to it:", page.safe(answer.attach), copied),
      ];
    case "none":
      return noneLines(page, name, answer, copied);
  }
}

function noneLines(
  page: Page,
  name: string,
  answer: Extract<JumpAnswer, { readonly type: "none" }>,
  copied: string,
): readonly Line[] {
  const { tones, marks, width } = page;
  const { running, machine, resume, asked } = answer;
  const line = (head: string, right = ""): Line =>
    spread([span(` ${head}`, tones.bold)], [span(right, tones.dim)], width, marks.ellipsis);
  const plain = (text: string): Line => spread([span(` ${text}`)], [], width, marks.ellipsis);
  if (running) {
    const where = running.terminal === undefined ? "without a terminal" : `in ${running.terminal}`;
    return [
      line(`${name} runs ${page.safe(where)}, process ${running.pid}`),
      plain("Waymark cannot focus that terminal. Switch to it yourself."),
    ];
  }
  const head =
    machine === undefined
      ? line(
          `No open terminal found for ${name}`,
          asked.length > 0 && width >= NARROW ? `looked in ${asked.join(", ")}` : "",
        )
      : line(`${name} runs on ${page.safe(machine)}`);
  if (!resume) return [head, plain(`Waymark knows no command that resumes a session of ${name}.`)];
  const where = machine === undefined ? "Resume it in a new terminal:" : "Resume it there:";
  const short = page.safe(resume.words.join(" "));
  const isWide = cells(`  ${where}  ${page.safe(resume.line)}`) <= width;
  if (!isWide)
    return [
      head,
      plain(where),
      plain(`  ${short}`),
      ...(resume.cwd === undefined ? [] : [plain(`  in ${page.safe(resume.cwd)}`)]),
      ...(copied === "" || width < NARROW ? [] : [[span(` ${copied}`, tones.dim)]]),
    ];
  return [head, ...commandLines(page, where, page.safe(resume.line), copied)];
}

function commandLines(page: Page, lead: string, command: string, copied: string): readonly Line[] {
  const { tones, marks, width } = page;
  return [
    spread([span(` ${lead}  `), span(command, tones.bold)], [], width, marks.ellipsis),
    ...(copied === "" ? [] : [[span(` ${copied}`, tones.dim)]]),
  ];
}

function backLabel(back: string | undefined): string {
  return back === undefined ? "" : `${back} comes back`;
}

function paneLabel(page: Page, { program, label, title }: AgentPane): string {
  const name = title === undefined ? "" : `, “${page.safe(title)}”`;
  return `${program} ${program === "tmux" ? "pane " : ""}${page.safe(label)}${name}`;
}

function paneRows(page: Page, panes: readonly AgentPane[]): readonly Line[] {
  const { tones, marks, width, options } = page;
  const cellsOf = (pane: AgentPane) => [
    `${pane.program} ${page.safe(pane.label)}`,
    page.safe(pane.cwd ?? ""),
    page.safe(pane.command ?? ""),
  ];
  const rows = panes.map(cellsOf);
  const sizes = [0, 1].map((column) => widest(rows.map((row) => row[column] ?? "")));
  return panes.map((pane, index) => {
    const [label = "", cwd = "", command = ""] = rows[index] ?? [];
    const active =
      pane.activeAt === undefined ? "" : `active ${formatAgo(pane.activeAt, options.now)}`;
    const left: Line = [
      span(` ${index + 1}`, tones.bold),
      span(`  ${padEnd(label, sizes[0] ?? 0)}  ${padEnd(cwd, sizes[1] ?? 0)}  ${command}`),
    ];
    return spread(left, [span(active, tones.dim)], width, marks.ellipsis);
  });
}
