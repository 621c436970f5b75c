import { EventEmitter } from "node:events";
import { cells } from "../../text/draw/width.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * The output stream of Ink. Ink renders only the rows that changed, and each is written at its own
 * position, so the screen is never cleared and redrawn.
 */
export interface Frames {
  readonly stream: NodeJS.WriteStream;
  /** Indexes of the rows that must be redrawn to show these texts. */
  changedRows(texts: readonly string[]): readonly number[];
  /** Redraws everything next time: the terminal was resized, or another program wrote to it. */
  invalidate(): void;
  /** Ignores later writes. */
  close(): void;
}

/** Synchronized output: terminals that support it show a frame at once, others ignore it. */
const BEGIN_FRAME = "\x1b[?2026h";
const END_FRAME = "\x1b[?2026l";

export function openFrames(write: (text: string) => void, size: () => Size): Frames {
  let drawn: (string | undefined)[] = [];
  let wanted: readonly string[] = [];
  let places: readonly number[] = [];
  let closed = false;
  const put = (frame: string): boolean => {
    if (closed) return true;
    const { columns } = size();
    const rows = frame.split("\n");
    const changed = places.map((place, index) => {
      const row = rows[index] ?? "";
      drawn[place] = wanted[place];
      return `\x1b[${place + 1};1H${row}\x1b[0m${fills(row, columns) ? "" : "\x1b[K"}`;
    });
    if (changed.length > 0) write(BEGIN_FRAME + changed.join("") + END_FRAME);
    places = [];
    return true;
  };
  const stream = Object.assign(new EventEmitter(), {
    write: put,
    isTTY: true,
    get columns() {
      return size().columns;
    },
    get rows() {
      return size().rows;
    },
  });
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    changedRows(texts) {
      const { rows } = size();
      wanted = Array.from({ length: rows }, (_, place) => texts[place] ?? "");
      places = wanted.flatMap((text, place) => (text === drawn[place] ? [] : [place]));
      return places;
    },
    invalidate() {
      drawn = [];
    },
    close() {
      closed = true;
    },
  };
}

/** After a full row, `EL` would clear its last cell on some terminals. */
function fills(row: string, columns: number): boolean {
  return cells(row.replace(/\x1b\[[\d;]*m/g, "")) >= columns;
}
