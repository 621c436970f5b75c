import { cutLine, type Line, lineCells, print } from "../../surfaces/text/draw/spans.ts";

/** Draws frames on a terminal that no other program writes to. */
export interface FrameWriter {
  /** Writes the rows that changed since the last frame, each at its own position: the screen is never cleared. */
  draw(lines: readonly Line[]): void;
  /** Redraws every row next time: the terminal was resized, or another program wrote to it. */
  invalidate(): void;
}

interface FrameWriterOptions {
  readonly write: (text: string) => void;
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly color: boolean;
}

/** Synchronized output: terminals that support it show a frame at once, others ignore it. */
const BEGIN_FRAME = "\x1b[?2026h";
const END_FRAME = "\x1b[?2026l";

export function newFrameWriter({ write, size, color }: FrameWriterOptions): FrameWriter {
  let drawn: readonly string[] = [];
  return {
    draw(lines) {
      const { columns, rows } = size();
      const frame = Array.from({ length: rows }, (_, row) => {
        const line = cutLine(lines[row] ?? [], columns, "");
        // After a full row, `EL` would clear its last cell on some terminals.
        const clearRest = lineCells(line) < columns ? "\x1b[K" : "";
        return `\x1b[${row + 1};1H${print([line], color)}\x1b[0m${clearRest}`;
      });
      const changed = frame.filter((text, row) => text !== drawn[row]);
      drawn = frame;
      if (changed.length > 0) write(BEGIN_FRAME + changed.join("") + END_FRAME);
    },
    invalidate() {
      drawn = [];
    },
  };
}
