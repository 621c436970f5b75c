import { EventEmitter } from "node:events";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * The stream that Ink writes whole frames to. Of each frame only the rows that differ from the one
 * before reach the terminal, each by its own address: nothing is ever cleared to be drawn again.
 */
export interface Frames {
  readonly stream: NodeJS.WriteStream;
  /** The terminal has another size, or somebody else has drawn on it. */
  anew(): void;
  /** Nothing is drawn any more. */
  close(): void;
}

export function framesOn(write: (text: string) => void, size: () => Size): Frames {
  let drawn: readonly string[] | undefined;
  let closed = false;
  const put = (frame: string): boolean => {
    if (closed) return true;
    const rows = frame.split("\n").slice(0, size().rows);
    const before = drawn ?? [];
    const changed = rows.flatMap((row, place) =>
      row === before[place] ? [] : [`\x1b[${place + 1};1H${row}\x1b[0m\x1b[K`],
    );
    const below = drawn === undefined || rows.length < before.length;
    const rest = below && rows.length < size().rows ? `\x1b[${rows.length + 1};1H\x1b[J` : "";
    drawn = rows;
    if (changed.length > 0 || rest) write(changed.join("") + rest);
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
    anew() {
      drawn = undefined;
    },
    close() {
      closed = true;
    },
  };
}
