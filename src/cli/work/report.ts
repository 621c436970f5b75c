import { formatClockSeconds } from "../../core/text/clock.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { cells, cut } from "../../surfaces/text/draw/width.ts";
import type { Task } from "../../tasks/model.ts";
import type { WorkEvent, WorkSummary } from "../../tasks/work/index.ts";
import type { Terminal } from "../io/terminal.ts";
import { writeText } from "../io/write-bytes.ts";
import type { Worktree } from "./worktree.ts";

export interface WorkReport {
  show(event: WorkEvent, worktree: Worktree | undefined): void;
  /** Number of ready tasks, for the last line of a terminal. */
  ready(count: number, isPaused: boolean): void;
  note(text: string): void;
  /** Number of running tasks. */
  running(): number;
  end(): void;
}

const EVERY = 200;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const MAX_SHOWN = 4;

/** A line for each change; on a terminal, also a last line with the running tasks. */
export function workReport(terminal: Terminal, workers: number): WorkReport {
  const running = new Map<string, { readonly task: Task; readonly since: number }>();
  const counts = { done: 0, retry: 0, dead: 0 };
  let waiting = "";
  let isDrawn = false;
  let frame = 0;
  const { unicode } = terminal;
  const dot = unicode ? " · " : ", ";

  const erase = () => {
    if (isDrawn) writeText(1, "\r\u001b[2K\u001b[1A\u001b[2K");
    isDrawn = false;
  };
  const draw = () => {
    const mark = unicode ? (FRAMES[frame++ % FRAMES.length] ?? "") : "*";
    const shown = [...running.values()].slice(0, MAX_SHOWN);
    const now = performance.now();
    const tasks = shown.map(({ task, since }) => `${task.id} ${formatDuration(now - since)}`);
    const more = running.size > MAX_SHOWN ? [`${running.size - MAX_SHOWN} more`] : [];
    const parts = [
      `${mark} ${running.size} running  ${[...tasks, ...more].join(dot)}`.trimEnd(),
      [`${counts.done} done`, `${counts.retry} retry`, `${counts.dead} dead`].join(dot),
      waiting,
    ].filter((part) => part !== "");
    const rule = (unicode ? "─" : "-").repeat(Math.min(80, terminal.width - 1));
    erase();
    writeText(1, `${rule}\n${cut(parts.join("     "), terminal.width - 1, "")}`);
    isDrawn = true;
  };
  const timer = terminal.isTty ? setInterval(draw, EVERY) : undefined;
  const print = (line: string) => {
    erase();
    terminal.print(line);
  };

  /** `14:02:10  t38 done      4m 31s  wm/t38                       worker 1` */
  const row = (event: WorkEvent, what: string): string => {
    const at = formatClockSeconds(Date.now()) ?? "";
    const head = `${at}  ${event.task.id} ${event.type.padEnd(9)} `;
    const right = workers > 1 ? `  worker ${event.worker}` : "";
    const room = terminal.width - 1 - cells(head) - right.length;
    const text = cut(terminalLine(what), Math.max(10, room), unicode ? "…" : "...");
    if (right === "") return `${head}${text}`;
    return `${head}${text}${" ".repeat(Math.max(0, room - cells(text)))}${right}`;
  };

  return {
    show(event, worktree) {
      const { task } = event;
      if (event.type === "claimed") {
        running.set(task.id, { task, since: performance.now() });
        print(row(event, task.subject));
        return;
      }
      running.delete(task.id);
      const took = formatDuration(event.ms);
      const where = worktree ? [worktree.branch] : [];
      if (event.type === "done") {
        counts.done += 1;
        const proof = task.proof ? [`${unicode ? "✓✓✓" : "[R]"} ${task.proof.check}`] : [];
        print(row(event, [took, ...proof, ...where].join("  ")));
        return;
      }
      if (event.type === "released") {
        print(row(event, [took, ...where].join("  ")));
        return;
      }
      if (event.type === "lost") {
        print(row(event, [took, event.reason].join("  ")));
        return;
      }
      const isDead = task.status === "failed";
      counts[isDead ? "dead" : "retry"] += 1;
      const [reason = "", ...lines] = (event.reason ?? "").split("\n");
      const next = isDead ? "no attempts left" : nextText(task);
      const attempt = `attempt ${task.attempts} of ${task.maxAttempts}`;
      print(row(event, [took, `${reason.replace(/\.$/, "")}, ${attempt}, ${next}`].join("  ")));
      const last = lines.findLast((line) => line.trim() !== "");
      if (last === undefined) return;
      const quoted = unicode ? `“${terminalLine(last)}”` : `"${terminalLine(last)}"`;
      print(`          ${cut(quoted, terminal.width - 11, unicode ? "…" : "...")}`);
    },
    ready(count, isPaused) {
      waiting = `${count} ready${isPaused ? `${dot}paused` : ""}`;
    },
    note: print,
    running: () => running.size,
    end() {
      clearInterval(timer);
      erase();
    },
  };
}

function nextText({ notBefore, updatedAt }: Task): string {
  const wait = notBefore === undefined ? 0 : notBefore - updatedAt;
  return wait > 0 ? `next in ${formatDuration(wait)}` : "next at once";
}

/** `Worked 10m 30s: 3 done, 1 failed (will retry), 0 dead, 4 left in the queue` */
export function summaryLine(summary: WorkSummary, ms: number, left: number): string {
  const { done, retried, failed, released, lost } = summary;
  const parts = [
    `${done} done`,
    `${retried} failed (will retry)`,
    `${failed} dead`,
    ...(released > 0 ? [`${released} released`] : []),
    ...(lost > 0 ? [`${lost} taken over`] : []),
    `${left} left in the queue`,
  ];
  return `Worked ${formatDuration(ms)}: ${parts.join(", ")}`;
}
