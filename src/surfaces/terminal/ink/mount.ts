import { render } from "ink";
import { createElement } from "react";
import { type Line, print } from "../../text/draw/spans.ts";
import { framesOn, type Size } from "./frames.ts";
import { Rows } from "./lines.ts";

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
  const element = (texts: readonly string[]) =>
    createElement(Rows, { texts, width: size().columns });
  const options = {
    stdout: frames.stream,
    // What it is given is drawn at once and as a whole: it is all new.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  };
  const ink = render(element([]), options);
  return {
    draw(lines) {
      const texts = lines.map((line) => print([line], color));
      const places = frames.differing(texts);
      // A screen that stays as it is costs nothing.
      if (places.length > 0) ink.rerender(element(places.map((place) => texts[place] ?? "")));
    },
    anew: frames.anew,
    unmount() {
      frames.close();
      ink.unmount();
    },
  };
}
