import { expect, test } from "vitest";
import { newFrameWriter } from "../../src/cli/board/frame-writer.ts";
import { span } from "../../src/surfaces/text/draw/spans.ts";

const lines = (...texts: string[]) => texts.map((text) => [span(text, "1")]);

function writer(columns = 10, rows = 3) {
  const written: string[] = [];
  const size = { columns, rows };
  const made = newFrameWriter({
    write: (text) => written.push(text),
    size: () => size,
    color: false,
  });
  /** The rows of the last frame, by position. */
  const drawnRows = (): Record<string, string> => {
    const frame = written.pop()?.match(/^\x1b\[\?2026h(.*)\x1b\[\?2026l$/)?.[1];
    expect(written).toEqual([]);
    const rows = frame?.matchAll(/\x1b\[(\d+);1H([^\x1b]*)\x1b\[0m(\x1b\[K)?/g) ?? [];
    return Object.fromEntries(
      [...rows].map(([, row, text, end]) => [row, text + (end ? "|" : "")]),
    );
  };
  return { ...made, size, drawnRows };
}

test("draws every row once, then only rows that change", () => {
  const { draw, drawnRows } = writer();
  draw(lines("one", "two"));
  expect(drawnRows()).toEqual({ 1: "one|", 2: "two|", 3: "|" });
  draw(lines("one", "too"));
  expect(drawnRows()).toEqual({ 2: "too|" });
  draw(lines("one", "too"));
  expect(drawnRows()).toEqual({});
  draw(lines("one"));
  expect(drawnRows()).toEqual({ 2: "|" });
});

test("draws every row after the screen was invalidated", () => {
  const { draw, invalidate, drawnRows } = writer();
  draw(lines("one", "two", "three"));
  drawnRows();
  invalidate();
  draw(lines("one", "two", "three"));
  expect(drawnRows()).toEqual({ 1: "one|", 2: "two|", 3: "three|" });
});

test("cuts rows at the edge, and does not clear behind a full row", () => {
  const { draw, drawnRows } = writer(4, 2);
  draw(lines("four", "longer than the row", "below the screen"));
  expect(drawnRows()).toEqual({ 1: "four", 2: "long" });
  draw(lines("日本語"));
  expect(drawnRows()).toEqual({ 1: "日本", 2: "|" });
});

test("redraws a row whose width became the width of the screen", () => {
  const { draw, drawnRows, size } = writer(5, 1);
  draw(lines("four"));
  expect(drawnRows()).toEqual({ 1: "four|" });
  size.columns = 4;
  draw(lines("four"));
  expect(drawnRows()).toEqual({ 1: "four" });
});
