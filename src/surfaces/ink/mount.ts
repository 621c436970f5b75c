import { render } from "ink";
import { createElement } from "react";
import type { Line } from "../text/spans.ts";
import { framesOn, type Size } from "./frames.ts";
import { Lines } from "./lines.ts";

export interface Mounted {
  draw(lines: readonly Line[]): void;
  /** The next drawing writes every row: the terminal no longer shows what was drawn last. */
  anew(): void;
  unmount(): void;
}

export interface MountOptions {
  readonly write: (text: string) => void;
  readonly size: () => Size;
  readonly color: boolean;
}

/** Draws lines on a terminal that nobody else writes to. */
export async function mount({ write, size, color }: MountOptions): Promise<Mounted> {
  const frames = framesOn(write, size);
  const element = (lines: readonly Line[]) =>
    createElement(Lines, { lines, color, width: size().columns });
  const options = {
    stdout: frames.stream,
    // Every update as one whole frame; what of it is new, the stream finds out.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  };
  const ink = render(element([]), options);
  return {
    draw: (lines) => ink.rerender(element(lines)),
    anew: frames.anew,
    unmount() {
      frames.close();
      ink.unmount();
    },
  };
}
