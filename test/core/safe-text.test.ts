import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  byteLength,
  cutBytes,
  forbiddenCharacter,
  forJson,
  oneLine,
  withoutForbidden,
} from "../../src/core/text/escape.ts";
import { forHtml, forTerminal } from "../../src/index.ts";
import { checkId } from "../../src/internal.ts";
import { CODE_POINT } from "../code-point.ts";
import { cpuTime } from "../cpu-time.ts";

describe("text is data at every sink", () => {
  it.each([
    ["\u001b[31mred", "␛[31mred"],
    ["a\u007fb\u0085c", "a␡b\\u{85}c"],
    ["\u202egnp.exe", "\\u{202e}gnp.exe"],
    ["zero\u200bwidth", "zero\\u{200b}width"],
    ["tag\u{e0041}s", "tag\\u{e0041}s"],
    [`a${"\u0301".repeat(20)}`, `a${"\u0301".repeat(4)}`],
    ["👩‍👩‍👧‍👦 日本語", "👩‍👩‍👧‍👦 日本語"],
  ])("forTerminal(%j)", (text, safe) => {
    expect(forTerminal(text)).toBe(safe);
  });

  it("forHtml", () => {
    expect(forHtml(`<a href="x" title='y'>&</a>`)).toBe(
      "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;",
    );
  });

  it("names forbidden characters by code and position, and removes them", () => {
    expect(forbiddenCharacter("ab\u0007c")).toBe("U+0007 at position 3");
    expect(forbiddenCharacter("fine ✓")).toBeUndefined();
    expect(withoutForbidden("a\u0007b\u202ec\ud800d")).toBe("abcd");
  });

  it("oneLine", () => {
    expect(oneLine("  a\r\n\tb \u0085c ")).toBe("a b  c");
  });

  it("cutBytes cuts between user-perceived characters", () => {
    const family = "👩‍👩‍👧‍👦";
    expect(cutBytes(family.repeat(3), byteLength(family) + 5)).toBe(`${family}…`);
    expect(cutBytes("short", 5)).toBe("short");
    expect(byteLength(cutBytes("日本語".repeat(50), 88))).toBeLessThanOrEqual(88);
  });

  it("cutBytes does not scan text that cannot fit", () => {
    const started = cpuTime();
    expect(cutBytes("y".repeat(600_000), 40)).toBe(`${"y".repeat(37)}…`);
    expect(cpuTime() - started).toBeLessThan(5_000);
  });
});

describe("ids that become file names", () => {
  it.each(["a", "3f0c9a52-8d1e", "main", "sub_agent.1"])("%s is valid", (id) => {
    expect([checkId("session", id), checkId("agent", id)]).toEqual([undefined, undefined]);
  });

  it.each(["", "../x", "a/b", ".hidden", "-x", "a b", "ä", "a\u0000", "x".repeat(101), 5, null])(
    "refuses %j with a reason",
    (id) => {
      expect(checkId("session", id)).toMatch(/^The session id .*\.$/);
    },
  );

  it("a session id must not contain the separator", () => {
    const problem = 'The session id must not contain "-agent-" or end in "-agent".';
    expect(checkId("session", "a-agent-b")).toBe(problem);
    expect(checkId("session", "a-agent")).toBe(problem);
    expect(checkId("agent", "a-agent-b")).toBeUndefined();
  });
});

describe("JSON for terminals", () => {
  const acting = ["a", "\u001b", "\u007f", "\u009b", "\u200f", "\u202e", "\u2066", "\ud800"];
  const text = fc.string({ unit: fc.constantFrom(...acting) });
  it("has the same value and no control characters", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: CODE_POINT }), text, (value, more) => {
        const json = forJson({ value, more });
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, more })));
        expect(json).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
        );
      }),
    );
  });

  it("escapes characters outside the basic plane", () => {
    expect(forJson("a\u{e0041}\u202eb")).toBe('"a\\udb40\\udc41\\u202eb"');
  });
});
