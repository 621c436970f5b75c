import { cells } from "../text/draw/width.ts";

/** The last lines of a terminal, redrawn in place below the scrollback. */
export interface Region {
  /** Prints lines above the region and redraws it. Writes nothing if nothing changed. */
  draw(above: readonly string[], lines: readonly string[]): void;
}

export interface Screen {
  readonly write: (text: string) => void;
  /** The current size of the terminal. */
  readonly size: () => { readonly columns: number; readonly rows: number };
}

const SGR = /\x1b\[[0-9;]*m/g;

/**
 * Uses only two sequences, cursor up and clear line. No terminal mode is changed, so there is nothing to
 * restore however the program ends.
 */
export function openRegion({ write, size }: Screen): Region {
  let drawn: readonly string[] = [];

  /** Rows that the drawn lines occupy now: a terminal that became narrower has wrapped them. */
  const height = (): number => {
    const { columns, rows } = size();
    const taken = drawn.reduce(
      (sum, line) =>
        sum + Math.max(1, Math.ceil(cells(line.replace(SGR, "")) / Math.max(1, columns))),
      0,
    );
    return Math.min(taken, Math.max(0, rows - 1));
  };

  return {
    draw(above, lines) {
      // The cursor is on the line below the region, which takes a row too.
      const fitting = lines.slice(0, Math.max(1, size().rows - 1));
      const same =
        fitting.length === drawn.length && fitting.every((line, index) => line === drawn[index]);
      if (same && above.length === 0) return;
      const rows = height();
      const up = rows > 0 ? `\x1b[${rows}A` : "";
      const erased = rows > 0 ? `\r${up}${"\x1b[2K\n".repeat(rows)}${up}` : "";
      write(`${erased}${[...above, ...fitting].map((line) => `${line}\n`).join("")}`);
      drawn = fitting;
    },
  };
}
