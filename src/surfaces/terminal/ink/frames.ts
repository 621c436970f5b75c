import { EventEmitter } from "node:events";
import { cells } from "../../text/draw/width.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * The stream that Ink writes to. Ink is given only the rows that differ from what the terminal shows;
 * each of them goes to its own address: nothing is ever cleared to be drawn again.
 */
export interface Frames {
  readonly stream: NodeJS.WriteStream;
  /** The places of the rows that have to be drawn for the terminal to show these texts. */
  differing(texts: readonly string[]): readonly number[];
  /** The terminal has another size, or somebody else has drawn on it. */
  anew(): void;
  /** Nothing is drawn any more. */
  close(): void;
}

/** Terminals that know this show the rows of a frame all at once; the others pass over it. */
const TOGETHER = "\x1b[?2026h";
const SHOW = "\x1b[?2026l";

export function framesOn(write: (text: string) => void, size: () => Size): Frames {
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
    if (changed.length > 0) write(TOGETHER + changed.join("") + SHOW);
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
    differing(texts) {
      const { rows } = size();
      wanted = Array.from({ length: rows }, (_, place) => texts[place] ?? "");
      places = wanted.flatMap((text, place) => (text === drawn[place] ? [] : [place]));
      return places;
    },
    anew() {
      drawn = [];
    },
    close() {
      closed = true;
    },
  };
}

/** Behind a full row some terminals would clear its last cell. */
function fills(row: string, columns: number): boolean {
  return cells(row.replace(/\x1b\[[\d;]*m/g, "")) >= columns;
}
