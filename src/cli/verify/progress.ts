import type { VerifyStep } from "../../checks/request.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { cut } from "../../surfaces/text/draw/width.ts";
import type { Terminal } from "../io/terminal.ts";
import { writeText } from "../io/write-bytes.ts";
import { doneLine, glyphs, seconds, stepLine } from "./lines.ts";

export interface VerifyProgress {
  show(step: VerifyStep): void;
  end(): void;
}

const EVERY = 200;
const TAIL = 3;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Prints a line for each step. On a terminal, the running check has a clock and its last lines. */
export function verifyProgress(terminal: Terminal, heading?: string): VerifyProgress {
  let title = heading;
  let timer: NodeJS.Timeout | undefined;
  let running = { check: "", command: "" };
  let tail: readonly string[] = [];
  let isCopy = false;
  let drawn = 0;
  const erase = () => {
    if (drawn > 0) writeText(1, `\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    erase();
  };
  function watch(timeoutMs: number): void {
    const begun = performance.now();
    let frame = 0;
    timer = setInterval(() => {
      const { ellipsis } = glyphs(terminal);
      const mark = terminal.unicode ? (FRAMES[frame++ % FRAMES.length] ?? "") : "*";
      const clock = `${seconds(performance.now() - begun)} of ${seconds(timeoutMs)}`;
      const lines = [
        stepLine(mark, running.check, running.command, clock, terminal),
        ...tail.map((line) => `    ${cut(terminalLine(line), terminal.width - 6, ellipsis)}`),
        isCopy
          ? "  Your working tree is not touched. Ctrl+C stops the check and its processes."
          : "  Outside of git, the check runs in this directory. Ctrl+C stops it.",
      ];
      erase();
      writeText(1, `${lines.map((line) => cut(line, terminal.width - 1, "")).join("\n")}\n`);
      drawn = lines.length;
    }, EVERY);
  }
  return {
    show(step) {
      if (step.step === "checkout") isCopy = true;
      if (step.step === "output") tail = [...tail, ...step.lines].slice(-TAIL);
      if (step.step === "started") {
        running = step;
        if (terminal.isTty) watch(step.timeoutMs);
      }
      const line = doneLine(step, running, terminal);
      if (line === undefined) return;
      stop();
      // Printed with the first step: a check that may not run has none.
      if (title !== undefined) terminal.print(`${title}\n`);
      title = undefined;
      terminal.print(line);
    },
    end: stop,
  };
}
