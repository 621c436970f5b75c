import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { INVISIBLE } from "../../../src/core/text/escape.ts";
import { renderReportHtml } from "../../../src/surfaces/report/html.ts";
import { renderReportMarkdown } from "../../../src/surfaces/report/markdown.ts";
import { renderReportText } from "../../../src/surfaces/report/text.ts";
import { cells } from "../../../src/surfaces/text/draw/width.ts";
import { NOW } from "../../core/report/tracks.ts";
import { night } from "./night.ts";

const UTC = { now: NOW, timeZone: "UTC" };
const TEXT = { ...UTC, width: 80, color: false, unicode: true };

describe("golden", () => {
  test("text", async () => {
    await expect(`${renderReportText(night(), TEXT)}\n`).toMatchFileSnapshot("goldens/night.txt");
  });

  test("text in ASCII, 60 columns", async () => {
    const ascii = renderReportText(night(), { ...TEXT, width: 60, unicode: false });
    await expect(`${ascii}\n`).toMatchFileSnapshot("goldens/night-ascii-60.txt");
    expect(ascii).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test("Markdown", async () => {
    await expect(`${renderReportMarkdown(night(), UTC)}\n`).toMatchFileSnapshot("goldens/night.md");
  });

  test("HTML", async () => {
    await expect(`${renderReportHtml(night(), UTC)}\n`).toMatchFileSnapshot("goldens/night.html");
  });
});

/** Texts of users, agents and files, as bad as they get. */
const external = fc.oneof(
  fc.constantFrom(
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "<img src=x onerror=alert(1)>",
    "&lt;b&gt;",
    "[x](javascript:alert(1))",
  ),
  fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    "</style><script>",
    "\u202eevil",
    "`a``b",
    "- [x] no",
    "# h",
    "\u001b[31m",
    "-->",
    "x\n# y",
  ),
);

/** Tags without the values of their attributes. */
function shape(html: string): readonly string[] {
  return (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'));
}

describe("external text", () => {
  test("never becomes markup in HTML", () => {
    const expected = shape(
      renderReportHtml(
        night(() => "plain"),
        UTC,
      ),
    );
    fc.assert(
      fc.property(external, (text) => {
        const html = renderReportHtml(
          night(() => `x${text}x`),
          UTC,
        );
        expect(shape(html)).toEqual(expected);
        expect(html.replaceAll("\n", "")).not.toMatch(INVISIBLE);
      }),
      { numRuns: 60 },
    );
  });

  test("stays on its lines and in its cells on a terminal", () => {
    fc.assert(
      fc.property(external, fc.integer({ min: 20, max: 120 }), (text, width) => {
        const lines = renderReportText(
          night(() => `x${text}x`),
          { ...TEXT, width },
        ).split("\n");
        for (const line of lines) {
          expect(line).not.toMatch(INVISIBLE);
          expect(cells(line)).toBeLessThanOrEqual(width);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("never becomes HTML or a heading in Markdown", () => {
    const headings = (text: string) =>
      text.split("\n").filter((line) => /^\s*(?:#|>|={3}|-{3})/.test(line)).length;
    const expected = headings(
      renderReportMarkdown(
        night(() => "plain"),
        UTC,
      ),
    );
    fc.assert(
      fc.property(external, (text) => {
        const markdown = renderReportMarkdown(
          night(() => `x${text}x`),
          UTC,
        );
        const outside = markdown.replace(/(`+) ?.*?[^`]\1(?!`)/g, "");
        expect(outside).not.toMatch(/<[a-z!/]/i);
        expect(headings(markdown)).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });
});

test("the page is one file without scripts that loads nothing", () => {
  const html = renderReportHtml(night(), UTC);
  expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\bsrc=|\bhref=|https?:\/\//i);
  expect(Buffer.byteLength(html)).toBeLessThan(60_000);
});

test("the first line of every format is the verdict", () => {
  const verdict = "The night failed: “Cut release 4.2” ended with a failing check, 2 todos open.";
  const report = night();
  expect(renderReportText(report, TEXT).split("\n")[0]).toBe(verdict);
  expect(renderReportMarkdown(report, UTC).split("\n")[0]).toBe(`# ${verdict}`);
  expect(renderReportHtml(report, UTC)).toContain(`<h1>${verdict}</h1>`);
});
