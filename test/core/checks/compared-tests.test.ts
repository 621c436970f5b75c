import { expect, test } from "vitest";
import { detectTampering, fragmentTampering } from "../../../src/core/checks/tamper.ts";

type Files = Readonly<Record<string, string | null>>;
const shown = (before: Files, after: Files) =>
  detectTampering(
    [...new Set([...Object.keys(before), ...Object.keys(after)])].map((path) => ({
      path,
      before: before[path] ?? null,
      after: after[path] ?? null,
    })),
  ).map(({ kind, file, line, text }) => `${kind} ${file}:${line} ${text}`);

const it = (name: string, ...body: readonly string[]) =>
  `it(${JSON.stringify(name)}, () => {\n${body.map((line) => `  ${line}\n`).join("")}});\n`;
const is = (what: string, value: string | number) => `expect(${what}).toBe(${value});`;
const skip = (text: string) => text.replace("it(", "it.skip(");
const A = it("a", is("add(1, 2)", 3));
const B = it("b", is("sub(5, 2)", 3), is("sub(5, 4)", 1));
const TABLE =
  'it.each([[1, 2, 3], [5, 2, 3]])("%i", (a, b, c) => {\n  expect(add(a, b)).toBe(c);\n});\n';

test.each<[string, string | Files, string | Files, readonly string[]]>([
  // Which test is which
  ["keeps a test with another body", A, it("a", is("add(1, 2)", 3), is("x", 1)), []],
  ["keeps a renamed test with the same body", A + B, A + B.replace('"b"', '"c"'), []],
  [
    "keeps a renamed test that changed a little",
    B,
    it("c", is("sub(5, 2)", 3), is("sub(5, 4)", 1), is("x", 1)),
    [],
  ],
  [
    "sees another test in place of one",
    B,
    it("c", is("mul(7, 8)", 56), "run(other);"),
    ["test_removed a.test.js:null b"],
  ],
  [
    "sees a test without assertions in place of one",
    A,
    it("a", "run();"),
    ["assertion_removed a.test.js:1 expect(add(1, 2)).toBe(3)"],
  ],
  [
    "tells two tests of one name by their body",
    A + it("a", is("x", 1)),
    it("a", is("x", 1)) + A,
    [],
  ],
  [
    "sees one of two tests of one name",
    A + it("a", is("x", 1)),
    A,
    ["test_removed a.test.js:null a"],
  ],
  [
    "follows a test to another file",
    { "a.test.js": A + B },
    { "a.test.js": A, "b.test.js": B },
    [],
  ],
  [
    "follows a test to an unchanged name in another file",
    { "a.test.js": A, "b.test.js": B },
    { "a.test.js": B, "b.test.js": A },
    [],
  ],
  [
    "sees a copy as no replacement",
    { "a.test.js": A + B, "b.test.js": B },
    { "a.test.js": A, "b.test.js": B },
    ["test_removed a.test.js:null b"],
  ],
  [
    "ignores unchanged files",
    { "a.test.js": A, "b.test.js": "it.skip(" },
    { "a.test.js": A + B, "b.test.js": "it.skip(" },
    [],
  ],
  // Tables
  [
    "accepts a table with as many rows",
    it("a", is("add(1, 2)", 3)) + it("c", is("add(5, 2)", 3)),
    TABLE,
    [],
  ],
  [
    "sees more removed tests than rows",
    A + it("c", is("add(9, 2)", 11)) + it("d", is("add(0, 0)", 0)),
    TABLE,
    ["test_removed a.test.js:null d"],
  ],
  [
    "sees a table without assertions",
    A + it("c", is("add(9, 2)", 11)),
    TABLE.replace("expect(add(a, b)).toBe(c)", "run(a)"),
    ["test_removed a.test.js:null a", "test_removed a.test.js:null c"],
  ],
  [
    "sees a table in another file",
    { "a.test.js": A + B, "b.test.js": "" },
    { "a.test.js": A, "b.test.js": TABLE },
    ["test_removed a.test.js:null b"],
  ],
  // Files
  [
    "names a removed file once",
    { "a.test.js": A + B },
    { "a.test.js": null },
    ["test_file_removed a.test.js:null a.test.js"],
  ],
  [
    "names the tests of a removed file if one moved",
    { "a.test.js": A + B },
    { "a.test.js": null, "b.test.js": B },
    ["test_file_removed a.test.js:null a.test.js"],
  ],
  [
    "sees an emptied script",
    { "test/a.sh": "test $a = 1\n" },
    { "test/a.sh": "\n" },
    ["assertion_removed test/a.sh:1 test $a = 1"],
  ],
  [
    "sees an emptied file",
    { "a.test.js": A },
    { "a.test.js": "\n" },
    ["test_removed a.test.js:null a"],
  ],
  // Markers
  ["sees a skipped test", A, skip(A), ['test_skipped a.test.js:1 it.skip("a", () => {']],
  ["accepts another way to skip", skip(A), A.replace("it(", "xit("), []],
  ["accepts a condition in place of a skip", skip(A), A.replace("it(", "it.skipIf(win)("), []],
  [
    "sees a skip in place of a condition",
    A.replace("it(", "it.skipIf(win)("),
    skip(A),
    ['test_skipped a.test.js:1 it.skip("a", () => {'],
  ],
  [
    "accepts another condition",
    A.replace("it(", "it.skipIf(win)("),
    A.replace("it(", "it.skipIf(mac)("),
    [],
  ],
  [
    "sees focus on a skipped test",
    skip(A),
    A.replace("it(", "it.only("),
    ['test_focused a.test.js:1 it.only("a", () => {'],
  ],
  [
    "sees a skip of a focused test",
    A.replace("it(", "it.only("),
    skip(A),
    ['test_skipped a.test.js:1 it.skip("a", () => {'],
  ],
  ["accepts a todo of a skipped test", skip(A), 'it.todo("a");\n', []],
  [
    "sees a todo in place of a test",
    A,
    'it.todo("a");\n',
    ['test_skipped a.test.js:1 it.todo("a");'],
  ],
  ["sees a new skipped test", A, A + skip(B), ['test_skipped a.test.js:4 it.skip("b", () => {']],
  ["accepts a new todo", A, `${A}it.todo("b");\n`, []],
  ["accepts a new test for a platform", A, `${A}${B.replace("it(", "it.skipIf(win)(")}`, []],
  [
    "sees a new group that skips its tests",
    A,
    `describe.skip("g", () => {\n${A}});\n`,
    ['test_skipped a.test.js:1 describe.skip("g", () => {'],
  ],
  [
    "accepts a group that takes over the skips of its tests",
    skip(A) + skip(B),
    `describe.skip("g", () => {\n${A}${B}});\n`,
    [],
  ],
  [
    "sees a group that skips more than was skipped",
    skip(A) + B,
    `describe.skip("g", () => {\n${A}${B}});\n`,
    ['test_skipped a.test.js:1 describe.skip("g", () => {'],
  ],
  [
    "sees a marker of the whole file",
    { "test_a.py": "def test_a():\n    assert a == 1\n" },
    { "test_a.py": "pytestmark = pytest.mark.skip\ndef test_a():\n    assert a == 1\n" },
    ["test_skipped test_a.py:1 pytestmark = pytest.mark.skip"],
  ],
  [
    "accepts a known marker of the file",
    { "test_a.py": "pytestmark = pytest.mark.skip\n" },
    { "test_a.py": "pytestmark = pytest.mark.skip\nx = 1\n" },
    [],
  ],
  [
    "accepts a moved marker of a file",
    { "test_a.py": "pytestmark = pytest.mark.skip\n", "test_b.py": "x = 1\n" },
    { "test_a.py": "x = 1\n", "test_b.py": "pytestmark = pytest.mark.skip\n" },
    [],
  ],
  ["accepts a new file for a platform", {}, { "a_test.go": "//go:build linux\npackage a\n" }, []],
  [
    "sees a new file that is never built",
    {},
    { "a_test.go": "//go:build ignore\npackage a\n" },
    ["test_skipped a_test.go:1 //go:build ignore"],
  ],
  [
    "sees a platform for a known file",
    { "a_test.go": "package a\n" },
    { "a_test.go": "//go:build linux\npackage a\n" },
    ["test_skipped a_test.go:1 //go:build linux"],
  ],
  // Assertions
  [
    "sees a removed assertion",
    B,
    it("b", is("sub(5, 2)", 3)),
    ["assertion_removed a.test.js:1 expect(sub(5, 4)).toBe(1)"],
  ],
  [
    "sees one of two equal assertions",
    it("a", "f();", is("a()", 1), "g();", is("a()", 1)),
    it("a", "f();", is("a()", 1), "g();"),
    ["assertion_removed a.test.js:1 expect(a()).toBe(1)"],
  ],
  [
    "accepts an assertion that moved to another test",
    A + B,
    A.replace("});", `  ${is("sub(5, 4)", 1)}\n});`) + it("b", is("sub(5, 2)", 3)),
    [],
  ],
  [
    "accepts an assertion that moved to a new test",
    B,
    it("b", is("sub(5, 2)", 3)) + it("c", is("sub(5, 4)", 1)),
    [],
  ],
  [
    "sees two lost for one that moved",
    it("b", is("x", 1), is("y", 2), is("y", 2)),
    it("b", is("x", 1)) + it("c", is("y", 2)),
    ["assertion_removed a.test.js:1 expect(y).toBe(2)"],
  ],
  [
    "accepts an assertion in a helper",
    B,
    `const same = (n) => ${is("sub(5, 4)", 1)}\n${it("b", is("sub(5, 2)", 3), "same(1);")}`,
    [],
  ],
  [
    "accepts a helper with the value as argument",
    B,
    `const same = (n, o, m) => { expect(sub(n, o)).toBe(m); };\n${it("b", is("sub(5, 2)", 3), "same(5, 4, 1);")}`,
    [],
  ],
  [
    "sees a lost value beside a helper",
    B,
    `const same = (n, o, m) => { expect(sub(n, o)).toBe(m); };\n${it("b", is("sub(5, 2)", 3), "same(7, 9);")}`,
    ["assertion_removed a.test.js:2 expect(sub(5, 4)).toBe(1)"],
  ],
  [
    "accepts two assertions in one",
    it("a", is("a", 1), is("b", 2)),
    it("a", "expect([a, b]).toEqual([1, 2]);"),
    [],
  ],
  [
    "sees a weaker assertion",
    it("a", is("a", 1)),
    it("a", "expect(a).toBeDefined();"),
    ["assertion_weakened a.test.js:2 expect(a).toBeDefined();"],
  ],
  [
    "accepts a weak assertion beside a strong one",
    it("a", is("a", 1)),
    it("a", is("a", 1), "expect(b).toBeDefined();"),
    [],
  ],
  ["accepts a stronger assertion", it("a", "expect(a).toBeDefined();"), it("a", is("a", 1)), []],
  [
    "sees an emptied assertion",
    it("a", is("a", 1), "f();"),
    it("a", "expect(true).toBe(true);", "f();"),
    ["assertion_emptied a.test.js:2 expect(true).toBe(true);"],
  ],
  [
    "sees another empty assertion",
    it("a", "expect(1).toBe(1);", is("a", 1), "f();"),
    it("a", "expect(1).toBe(1);", "f();", "expect(2).toBe(2);"),
    ["assertion_emptied a.test.js:4 expect(2).toBe(2);"],
  ],
  [
    "accepts fewer empty assertions",
    it("a", "expect(1).toBe(1);", is("a", 1)),
    it("a", is("a", 1)),
    [],
  ],
  [
    "sees a new test that cannot fail",
    A,
    A + it("c", "expect(true).toBe(true);"),
    ["assertion_emptied a.test.js:5 expect(true).toBe(true);"],
  ],
  [
    "accepts a new test with one empty assertion",
    A,
    A + it("c", "expect(1).toBe(1);", is("x", 1)),
    [],
  ],
  ["accepts a new test without assertions", A, A + it("c", "f();"), []],
  [
    "sees a failure that is caught",
    A,
    it("a", "try {", is("add(1, 2)", 3), "} catch {}"),
    ["assertion_emptied a.test.js:4 } catch {}"],
  ],
  [
    "accepts what was caught before",
    it("a", "try {", is("a", 1), "} catch {}"),
    it("a", "try {", is("a", 1), "f();", "} catch {}"),
    [],
  ],
  [
    "accepts a catch in a test without assertions",
    it("a", "f();"),
    it("a", "try { g(); } catch {}"),
    [],
  ],
  // Expected values
  [
    "sees another value",
    A,
    it("a", is("add(1, 2)", 4)),
    ["expectation_changed a.test.js:2 expect(add(1, 2)).toBe(4);"],
  ],
  [
    "sees the first of two values",
    B,
    it("b", is("sub(5, 2)", 9), is("sub(5, 4)", 8)),
    ["expectation_changed a.test.js:2 expect(sub(5, 2)).toBe(9);"],
  ],
  ["accepts other inputs", A, it("a", is("add(2, 2)", 4)), []],
  ["accepts a computed value", A, it("a", is("add(1, 2)", "sum")), []],
  [
    "sees another value in a comparison",
    { "a_test.go": "func TestA(t *testing.T) {\n\tif a() != 3 {\n\t\tt.Fatal()\n\t}\n}\n" },
    { "a_test.go": "func TestA(t *testing.T) {\n\tif a() != 4 {\n\t\tt.Fatal()\n\t}\n}\n" },
    ["expectation_changed a_test.go:1 if a() != 4 {"],
  ],
  // Code under test
  [
    "sees a function that the test defines itself",
    `import { add } from "./a.js";\n${A}`,
    `const add = () => 3;\n${A}`,
    ["code_replaced a.test.js:1 const add = () => 3;"],
  ],
  [
    "sees a renamed import that is defined",
    `import { x as add } from "./a.js";\n${it("a", "run(add);")}`,
    `function add() {}\n${it("a", "run(add);")}`,
    ["code_replaced a.test.js:1 function add() {}"],
  ],
  [
    "accepts a helper of another name",
    `import { add } from "./a.js";\n${A}`,
    `import { add } from "./a.js";\nconst three = () => 3;\n${A}`,
    [],
  ],
  [
    "sees a mocked module",
    `import { add } from "./add.js";\n${A}`,
    `vi.mock("./add.js");\nimport { add } from "./add.js";\n${A}`,
    ['code_replaced a.test.js:1 vi.mock("./add.js");'],
  ],
])("%s", (_what, before, after, wanted) => {
  const files = (given: string | Files) =>
    typeof given === "string" ? { "a.test.js": given } : given;
  expect(shown(files(before), files(after))).toEqual(wanted);
});

test.each<[string, string, string, string, readonly string[]]>([
  ["sees a skip", "a.test.js", "it(", "it.skip(", ["test_skipped it.skip("]],
  ["sees focus", "a.test.js", "describe(", "describe.only(", ["test_focused describe.only("]],
  ["sees a lost test", "a.test.js", 'it("a", () => {\n', "x\n", ["test_removed a"]],
  [
    "sees a lost test of Rust",
    "src/a.rs",
    "    #[test]\n    fn a() {\n",
    "    fn a() {\n",
    ["test_removed a"],
  ],
  [
    "sees an ignored test of Rust",
    "src/a.rs",
    "    #[test]\n",
    "    #[test]\n    #[ignore]\n",
    ["test_skipped #[ignore]"],
  ],
  [
    "sees a lost test of Python",
    "test_a.py",
    "def test_a():\n",
    "def check_a():\n",
    ["test_removed test_a"],
  ],
  [
    "sees another value",
    "a.test.js",
    "if (a === 1) {",
    "if (a === 2) {",
    ["expectation_changed if (a === 2) {"],
  ],
  [
    "sees another value in a script",
    "test/a.sh",
    'want = "a"',
    'want = "b"',
    ['expectation_changed want = "b"'],
  ],
  ["accepts another variable", "a.test.js", "if (a === 1) {", "if (b === 1) {", []],
  ["accepts a computed value", "a.test.js", "if (a === 1) {", "if (a === one) {", []],
  ["accepts other lines", "a.test.js", "a === 1\n", "a === 2\n", []],
  ["accepts another argument", "a.test.js", "run(1)", "run(2)", []],
  ["accepts a comment", "a.test.js", 'text"', 'text" // it.skip(', []],
  [
    "sees a disabled test of Java",
    "ATest.java",
    "@Test\n",
    "@Test\n@Disabled\n",
    ["test_skipped @Disabled"],
  ],
  [
    "sees a skipped test of C#",
    "ATest.cs",
    "[Fact]\n",
    '[Fact(Skip = "x")]\n',
    ['test_skipped [Fact(Skip = "x")]'],
  ],
  [
    "sees an early return of Python",
    "test_a.py",
    "def test_a():\n    x()\n",
    "def test_a():\n    return\n    x()\n",
    ["test_skipped return"],
  ],
])("in a part of a file, %s", (_what, path, before, after, wanted) => {
  expect(
    fragmentTampering({ path, before, after }).map(({ kind, text }) => `${kind} ${text}`),
  ).toEqual(wanted);
});
