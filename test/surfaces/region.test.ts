import { expect, it } from "vitest";
import { openRegion } from "../../src/surfaces/terminal/region.ts";
import { fakeTerminal } from "../servers/terminal.ts";

const numbered = (count: number, name = "row") =>
  Array.from({ length: count }, (_, place) => `${name} ${place}`);

it("redraws the region and keeps the lines above it", () => {
  const screen = fakeTerminal(20, 10);
  const region = openRegion(screen);
  region.draw(["first"], ["a", "b", "c"]);
  region.draw([], ["d"]);
  region.draw(["second"], ["e", "f"]);
  expect(screen.text()).toBe("first\nsecond\ne\nf");
});

it("leaves the last line of the terminal free and drops lines that do not fit", () => {
  const screen = fakeTerminal(20, 5);
  const region = openRegion(screen);
  region.draw(["log"], numbered(9));
  expect(screen.text()).toBe(["log", ...numbered(4)].join("\n"));
  region.draw(["more"], numbered(9, "new"));
  expect(screen.text()).toBe(["log", "more", ...numbered(4, "new")].join("\n"));
});

it("writes nothing if nothing changed, otherwise one chunk", () => {
  const written: string[] = [];
  const region = openRegion({
    write: (text) => written.push(text),
    size: () => ({ columns: 20, rows: 5 }),
  });
  region.draw([], ["a"]);
  region.draw([], ["a"]);
  region.draw([], ["b"]);
  region.draw([], []);
  expect(written).toEqual(["a\n", "\r\x1b[1A\x1b[2K\n\x1b[1Ab\n", "\r\x1b[1A\x1b[2K\n\x1b[1A"]);
});

it("counts cells instead of characters and escape sequences", () => {
  let columns = 20;
  const written: string[] = [];
  const region = openRegion({
    write: (text) => written.push(text),
    size: () => ({ columns, rows: 50 }),
  });
  region.draw([], ["\x1b[1m中文中文\x1b[0m", "🎉🎉"]);
  columns = 4;
  region.draw([], []);
  expect(written[1]).toBe(`\r\x1b[3A${"\x1b[2K\n".repeat(3)}\x1b[3A`);
});
