import { cells } from "../text/draw/width.ts";

/** The last lines of a terminal, drawn in place; what is written above them stays. */
export interface Region {
  /** Puts lines above the region and draws it anew. Writes nothing when nothing changed. */
  draw(above: readonly string[], lines: readonly string[]): void;
}

export interface Screen {
  readonly write: (text: string) => void;
  /** In cells and lines, as they are now. */
  readonly size: () => { readonly columns: number; readonly rows: number };
}

const SGR = /\x1b\[[0-9;]*m/g;

/**
 * Uses two sequences only: cursor up and clear line. Nothing is switched on that would have to be
 * switched off again, so that no way of ending leaves the terminal in disorder.
 */
export function openRegion({ write, size }: Screen): Region {
  let drawn: readonly string[] = [];

  /** Rows that the drawn lines take by now: a terminal that got narrower has wrapped them. */
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
      // The cursor rests in the line below, which takes a row as well.
      const fitting = lines.slice(0, Math.max(1, size().rows - 1));
      const same =
        fitting.length === drawn.length && fitting.every((line, place) => line === drawn[place]);
      if (same && above.length === 0) return;
      const rows = height();
      const up = rows > 0 ? `\x1b[${rows}A` : "";
      const erased = rows > 0 ? `\r${up}${"\x1b[2K\n".repeat(rows)}${up}` : "";
      write(`${erased}${[...above, ...fitting].map((line) => `${line}\n`).join("")}`);
      drawn = fitting;
    },
  };
}
