import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { applyEdits, editsBetween, unifiedDiff } from "../../../src/setup/edit/diff.ts";
import { cpuTime } from "../../cpu-time.ts";

const sandbox = mkdtempSync(join(tmpdir(), "waymark-difference-"));
afterAll(() => rmSync(sandbox, { recursive: true, force: true }));

const line = fc.constantFrom("a", "b", "c", "", "  x: 1", '"k": "v",', "\r");
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("", "\n"))
  .map(([lines, end]) => lines.join("\n") + end);

it("computes edits from any text to any other", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(applyEdits(a, editsBetween(a, b))).toBe(b);
    }),
    { numRuns: 3_000 },
  );
});

it("keeps only differing characters in edits", () => {
  const before = '{\n  "key": "secret"\n}\n';
  const after = '{\n  "key": "secret",\n  "ours": 1\n}\n';
  expect(editsBetween(after, before)).toEqual([{ at: 19, length: 13, text: "" }]);
});

it("prints the same as diff", () => {
  const of = (a: string, b: string) =>
    unifiedDiff("f", a, b)
      .map((each) => each.text)
      .join("\n");
  expect(of("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n")).toBe(
    "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8",
  );
  expect(of("a", "a\n")).toBe(
    "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a",
  );
  expect(unifiedDiff("f", undefined, "x\n").map((each) => each.text)).toEqual([
    "--- /dev/null",
    "+++ f",
    "@@ -0,0 +1,1 @@",
    "+x",
  ]);
  expect(unifiedDiff("f", "x\n", undefined).map((each) => each.text)).toEqual([
    "--- f",
    "+++ /dev/null",
    "@@ -1,1 +0,0 @@",
    "-x",
  ]);
  expect(unifiedDiff("f", "x\n", "x\n")).toEqual([]);
});

it("prints diffs that patch can apply", () => {
  const plain = text.map((each) => each.replaceAll("\r", "r"));
  const file = join(sandbox, "f");
  let applied = 0;
  fc.assert(
    fc.property(plain, plain, (a, b) => {
      fc.pre(a !== b && a !== "" && b !== "");
      writeFileSync(file, a);
      const lines = unifiedDiff("f", a, b).map((each) => each.text);
      const { status, stderr } = spawnSync("patch", ["-s", "-u", file], {
        input: `${lines.join("\n")}\n`,
        encoding: "utf8",
      });
      expect({ status, stderr, now: readFileSync(file, "utf8") }).toEqual({
        status: 0,
        stderr: "",
        now: b,
      });
      applied++;
    }),
    { numRuns: 60 },
  );
  expect(applied).toBeGreaterThan(30);
});

it("compares 20,000 lines with few changes quickly", () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}`);
  const changed = [
    ...lines.slice(0, 10),
    "new",
    ...lines.slice(10, 19_990),
    ...lines.slice(19_991),
  ];
  const begun = cpuTime();
  expect(
    unifiedDiff("f", lines.join("\n"), changed.join("\n")).filter(
      ({ kind }) => kind === "added" || kind === "removed",
    ),
  ).toEqual([
    { kind: "added", text: "+new" },
    { kind: "removed", text: "-line 19990" },
  ]);
  expect(cpuTime() - begun).toBeLessThan(2_000);
});
