import { render } from "ink";
import { createElement } from "react";
import { type Line, print } from "../../text/draw/spans.ts";
import { openFrames, type Size } from "./frames.ts";
import { Rows } from "./lines.ts";

export interface Mounted {
  draw(lines: readonly Line[]): void;
  /** Redraws every row next time. */
  invalidate(): void;
  unmount(): void;
}

export interface MountOptions {
  readonly write: (text: string) => void;
  readonly size: () => Size;
  readonly color: boolean;
}

/** Mounts Ink on a terminal that no other program writes to. */
export async function mount({ write, size, color }: MountOptions): Promise<Mounted> {
  const frames = openFrames(write, size);
  const element = (texts: readonly string[]) =>
    createElement(Rows, { texts, width: size().columns });
  const options = {
    stdout: frames.stream,
    // Write each frame immediately and in full: it contains only changed rows.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  };
  const ink = render(element([]), options);
  return {
    draw(lines) {
      const texts = lines.map((line) => print([line], color));
      const rows = frames.changedRows(texts);
      if (rows.length > 0) ink.rerender(element(rows.map((row) => texts[row] ?? "")));
    },
    invalidate: frames.invalidate,
    unmount() {
      frames.close();
      ink.unmount();
    },
  };
}
