import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { strengthOf } from "../../../src/core/checks/tamper/assertions.ts";
import { readTests, type TestCase, type TestFile } from "../../../src/core/checks/tamper/cases.ts";
import type { Marker } from "../../../src/core/checks/tamper/find/found.ts";
import {
  isCollectedTest,
  isSnapshot,
  isTestPath,
} from "../../../src/core/checks/tamper/languages.ts";
import { lineAt } from "../../../src/core/checks/tamper/source.ts";

/** Files with their tests: line, name, rows, assertions, markers; a `?` marks a marker with a condition. */
const FILES = readFileSync(new URL("./test-files.txt", import.meta.url), "utf8")
  .split(/^=== /m)
  .slice(1)
  .map((part): readonly [string, string, readonly string[]] => {
    const end = part.indexOf("\n");
    const [text = "", wanted = ""] = part.slice(end + 1).split("\n---\n");
    return [part.slice(0, end), text, wanted.trim().split("\n")];
  });

function shown({ cases, markers, loose, source }: TestFile): readonly string[] {
  const line = (offset: number) => lineAt(source, offset);
  const mark = ({ type, conditional, offset }: Marker) =>
    `${type}${conditional ? "?" : ""}@${line(offset)}`;
  const caseLine = (each: TestCase) =>
    [
      `${line(each.offset)} ${each.group ? "group " : ""}${each.name}`.trim(),
      each.rows > 0 ? `${each.rows} rows` : "",
      each.assertions.map(({ strength, text }) => `${strength}: ${text}`).join(" // "),
      each.markers.map(mark).join(" "),
      each.swallows === undefined ? "" : `swallows@${line(each.swallows)}`,
      each.isCut ? "cut" : "",
    ]
      .filter((part) => part !== "")
      .join(" | ");
  return [
    ...cases.map(caseLine),
    ...(markers.length > 0 ? [`file: ${markers.map(mark).join(" ")}`] : []),
    ...(loose.length > 0
      ? [`loose: ${loose.map(({ offset, text }) => `${line(offset)} ${text}`).join(" // ")}`]
      : []),
  ];
}

test.each(FILES)("reads the tests of %s", (head, text, wanted) => {
  const [path = "", how] = head.split(" ");
  const file = readTests(path, text, how === "fragment");
  expect(file ? shown(file) : ["none"]).toEqual(wanted);
});

test("reads no tests of a missing or a very large file", () => {
  expect(readTests("a.test.js", null)).toBeUndefined();
  expect(readTests("a.test.js", " ".repeat(1_000_000))).toBeDefined();
  expect(readTests("a.test.js", " ".repeat(1_000_001))).toBeUndefined();
});

const STRENGTHS: Readonly<Record<string, string>> = {
  trivial: `expect(1).toBe(1)|expect("a").toEqual("a")|expect.soft(true).to.equal(true)|expect(true).toBeTruthy()
    expect({}).toBeDefined()|expect([]).not.toBeNull()|expect(false).toBeFalsy()|expect(false).toBe(false)
    assert.equal(1, 1)|assert.strictEqual("a", "a")|t.is(1, 1)|self.assertEqual(1, 1)|assertEquals(1, 1)
    Assert.AreEqual(1, 1)|assert_eq!(1, 1)|require.Equal(t, 1, 1)|$this->assertSame(1, 1)
    assert(true)|assert.ok(true)|t.truthy(true)|self.assertTrue(True)|Assert.True(true)|assert.True(t, true)
    assert!(true)|assert True|assert 1|assert (True)|assert 1 == 1|assert "x", "why"|assert 3 == 3
    expect(true).to be_truthy|expect(true).to be true|test 1 = 1|[ true = true ]|[[ ok == ok ]]|run || true`,
  weak: `expect(a).toBeTruthy()|expect(a).toBeDefined()|expect(a).not.toBeNull()|expect(run).toThrow()
    expect(a).toEqual(expect.anything())|expect(a).to.exist|expect(a).to.be.an("array")|assert(a)|assert.ok(a)
    self.assertIsNotNone(a)|self.assertIsInstance(a, B)|self.assertTrue(a)|assert a|assert a is not None
    assert isinstance(a, B)|assert.NotNil(t, a)|require.NotEmpty(t, a)|assert!(a.is_ok())|assertNotNull(a)
    Assert.NotNull(a)|expect(a).toBeInstanceOf()|expect(f).toHaveBeenCalled()`,
  strong: `expect(a).toBe(3)|expect(1).toBe(2)|expect("a").toBe("b")|expect(a).toThrow("why")|assert(a === 3)
    assert.equal(a, 3)|assert(a.includes("b"))|assert(a < 3)|self.assertTrue(a == 3)|self.assertEqual(a, 3)
    assert a == 3|assert a in b|assert a not in b|assert a.startswith("b")|assert!(a == 3)|assert!(a.contains("b"))
    assert_eq!(a, 3)|require.Equal(t, 1, 2)|test "$a" = 3|[ 1 = 2 ]|run || fail "x"|expect(a).to eq 3
    self.assertTrue(a in b)|assert!(matches!(a, B))|Assert.AreEqual(3, a)|expect(true).toBe(a)`,
};
test.each(
  Object.entries(STRENGTHS).flatMap(([strength, texts]) =>
    texts.split(/(?<!\|)\|(?!\|)|\n\s*/).map((text) => [text, strength] as const),
  ),
)("%s is %s", (text, strength) => {
  expect(strengthOf(text)).toBe(strength);
});

const PATHS: Readonly<Record<string, string>> = {
  collected: `a.test.js src/a.spec.tsx tests/a.mjs e2e/a.cjs test_a.py src/a_test.py a_tests.py a_test.go
    tests/a.rs src/CalcTest.java spec/a.kt CalcTests.cs a_spec.rb a_test.rb test_a.rb CalcTest.php test/a.sh
    a-test.bash test/a.bats cypress/a.jsx integration/a.ts __tests__/a.mts Test.swift e2e.cts`,
  source: `src/lib.rs src/Calc.java Calc.kts a.scala a.groovy A.cs a.php`,
  none: `src/a.js contest.js latest.ts a.py testa/b.py a.go test.txt Makefile a.rb README.md a.testjs .js test`,
};
test.each(
  Object.entries(PATHS).flatMap(([kind, paths]) =>
    paths.split(/\s+/).map((path) => [path, kind] as const),
  ),
)("tests of %s: %s", (path, kind) => {
  expect([isTestPath(path), isCollectedTest(path)]).toEqual([
    kind !== "none",
    kind === "collected",
  ]);
});

test.each([
  ["a/__snapshots__/b.txt", true],
  ["snapshots/a", true],
  ["golden/a.txt", true],
  ["goldens/a.txt", true],
  ["a.snap", true],
  ["a.ambr", true],
  ["a.approved.txt", true],
  ["a.SNAPSHOT", true],
  ["snap/a.txt", false],
  ["a.snap.js", false],
  ["marigold/a.txt", false],
])("%s has recorded results: %s", (path, isOne) => {
  expect(isSnapshot(path)).toBe(isOne);
});
