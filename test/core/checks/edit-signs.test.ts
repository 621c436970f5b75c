import { expect, test } from "vitest";
import {
  type EditContext,
  editSigns,
  removeFirst,
  signKey,
  wholeTests,
} from "../../../src/core/checks/tamper/edits.ts";
import { isUsuallyIgnored } from "../../../src/core/checks/tamper/live/ignored-files.ts";
import { readLines } from "../../../src/core/checks/tamper/live/known-files.ts";
import type { TamperKind, TamperWarning } from "../../../src/core/checks/tamper/warning.ts";

const sign = (kind: TamperKind, file: string, text = file): TamperWarning => ({
  kind,
  file,
  line: null,
  text,
});
const bash = (command: string) => ["Bash", { command }] as const;
const write = (file_path: string, content: string) => ["Write", { file_path, content }] as const;
const edit = (file_path: string, old_string: string, new_string: string) =>
  ["Edit", { file_path, old_string, new_string }] as const;
const remove = (path: string) => ["delete_file", { path }] as const;

/** `+KIND TEXT` for signs, `-KEY` for undone ones, `?KIND TEXT` for those of an overwritten file. */
function shown(
  [name, input]: readonly [string, unknown],
  context?: EditContext,
): readonly string[] {
  const found = editSigns(name, input, context);
  if (!found) return [];
  const { signs, undone, ifOverwritten = [] } = found;
  return [
    ...signs.map(({ kind, text }) => `+${kind} ${text}`),
    ...undone.map((key) => `-${key}`),
    ...ifOverwritten.map(({ kind, text }) => `?${kind} ${text}`),
  ];
}

const TEST = 'it("adds", () => {\n  expect(add(1, 2)).toBe(3);\n});\n';
const lines = readLines(TEST) ?? "";
const SKIPPED = TEST.replace("it(", "it.skip(");
const LOST = ["-test_removed adds", "-test_file_removed a.test.js"];

test.each<[string, readonly [string, unknown], EditContext | undefined, readonly string[]]>([
  ["removes a test", bash("rm -f a.test.js src/a.js"), undefined, ["+test_file_removed a.test.js"]],
  ["unlinks a test", bash("unlink a.test.js"), undefined, ["+test_file_removed a.test.js"]],
  [
    "removes a test from git",
    bash("git rm --cached a.test.js"),
    undefined,
    ["+test_file_removed a.test.js"],
  ],
  ["removes a source", bash("rm src/a.js"), undefined, []],
  ["renames a test", bash("mv -f a.test.js a.js"), undefined, ["+test_file_removed a.test.js"]],
  ["moves a test", bash("mv a.test.js test/b.test.js"), undefined, []],
  ["moves a test to a folder", bash("mv a.test.js old"), undefined, []],
  ["renames a source", bash("mv a.js b.js"), undefined, []],
  ["updates snapshots", bash("npx vitest -u"), undefined, ["+snapshot_rewritten npx vitest -u"]],
  ["runs tests", bash("npx vitest"), undefined, []],
  [
    "restores a file",
    bash("git checkout a.test.js"),
    { open: [sign("test_skipped", "a.test.js", "x"), sign("test_skipped", "b.test.js", "y")] },
    ["-test_skipped x"],
  ],
  [
    "restores a file by a longer path",
    bash("git restore --staged test/a.js"),
    { open: [sign("test_skipped", "/srv/test/a.js", "x")] },
    ["-test_skipped x"],
  ],
  [
    "restores everything",
    bash("git checkout -- ."),
    { open: [sign("test_skipped", "a.test.js", "x")] },
    ["-test_skipped x"],
  ],
  [
    "resets",
    bash("echo a && git reset --hard"),
    { open: [sign("test_skipped", "a.test.js", "x")] },
    ["-test_skipped x"],
  ],
  ["resets the index", bash("git reset"), { open: [sign("test_skipped", "a.test.js", "x")] }, []],
  [
    "reads with git",
    bash("git show a.test.js"),
    { open: [sign("test_skipped", "a.test.js", "x")] },
    [],
  ],
  [
    "checks out with another program",
    bash("hg checkout a.test.js"),
    { open: [sign("test_skipped", "a.test.js", "x")] },
    [],
  ],
  ["is not git", bash("cvs reset --hard"), { open: [sign("test_skipped", "a.test.js", "x")] }, []],
  [
    "skips with sed",
    bash("sed -i 's/it(/it.skip(/' a.test.js"),
    undefined,
    ["+test_skipped it.skip("],
  ],
  [
    "skips with gsed",
    bash("gsed -i 's|it(|it.skip(|' a.test.js"),
    undefined,
    ["+test_skipped it.skip("],
  ],
  [
    "skips with perl",
    bash("perl -pi -e 's,it\\(,it.skip(,' a.test.js"),
    undefined,
    ["+test_skipped it.skip("],
  ],
  [
    "skips a line with sed",
    bash("sed -i '3,5s/it(/it.skip(/;' a.test.js"),
    undefined,
    ["+test_skipped it.skip("],
  ],
  [
    "skips a match with sed",
    bash("sed -i '/adds/s#it(#it.skip(#' a.test.js"),
    undefined,
    ["+test_skipped it.skip("],
  ],
  [
    "keeps the match with sed",
    bash("sed -i 's/it(\"a\"/x&/' a.test.js"),
    undefined,
    ['+test_skipped xit("a"'],
  ],
  ["replaces in a source with sed", bash("sed -i 's/it(/it.skip(/' src/a.js"), undefined, []],
  ["prints with sed", bash("sed -n 3p a.test.js"), undefined, []],
  ["replaces with awk", bash("awk 's/it(/it.skip(/' a.test.js"), undefined, []],
  ["has a long command", bash(`rm a.test.js ${"x".repeat(3_988)}`), undefined, []],
  [
    "has a command of the limit",
    bash(`rm a.test.js ${"x".repeat(3_987)}`),
    undefined,
    ["+test_file_removed a.test.js"],
  ],
  [
    "has a command of words",
    ["shell", { cmd: ["bash", 1, "rm a.test.js"] }],
    undefined,
    ["+test_file_removed a.test.js"],
  ],
  ["writes a local file", bash("echo A=1 > .env"), undefined, ["+ignored_file .env"]],
  ["copies a local file", bash("cp a.txt .env.local"), undefined, ["+ignored_file .env.local"]],
  ["moves a local file", bash("mv a.txt .env"), undefined, ["+ignored_file .env"]],
  ["copies an example", bash("cp .env.example .env"), undefined, []],
  ["copies from a local file", bash("cp .env a.txt"), undefined, []],
  ["appends to a local file", bash("echo A | tee -a .env"), undefined, ["+ignored_file .env"]],
  ["prints a local file", bash("cat .env"), undefined, []],
  [
    "removes a local file",
    bash("rm .env"),
    { open: [sign("ignored_file", ".env"), sign("test_skipped", ".env")] },
    ["-ignored_file .env"],
  ],
  [
    "removes a local file by another path",
    bash("rm /srv/.env"),
    { open: [sign("ignored_file", ".env")], cwd: "/srv" },
    ["-ignored_file .env"],
  ],
  ["edits a known local file", write(".env", "A=1"), { open: [sign("ignored_file", ".env")] }, []],
  ["edits a local file", edit("dist/a.js", "1", "2"), undefined, ["+ignored_file dist/a.js"]],
  [
    "deletes a local file",
    remove("dist/a.js"),
    { open: [sign("ignored_file", "dist/a.js"), sign("ignored_file", "dist/b.js")] },
    ["-ignored_file dist/a.js"],
  ],
  ["deletes a test", remove("a.test.js"), undefined, ["+test_file_removed a.test.js"]],
  ["deletes a source", remove("src/lib.rs"), undefined, []],
  [
    "skips and runs again",
    [
      "MultiEdit",
      {
        file_path: "a.test.js",
        edits: [
          { old_string: "it(", new_string: "it.skip(" },
          { old_string: "it.skip(", new_string: "it(" },
        ],
      },
    ],
    undefined,
    [],
  ],
  [
    "runs a test again",
    edit("a.test.js", "it.skip(", "it("),
    undefined,
    ["-test_skipped it.skip("],
  ],
  ["edits a source", edit("src/a.js", "it(", "it.skip("), undefined, []],
  [
    "writes a new test",
    write("a.test.js", TEST),
    undefined,
    [...LOST, "?test_rewritten a.test.js"],
  ],
  [
    "writes a skipped test",
    write("a.test.js", SKIPPED),
    undefined,
    ['+test_skipped it.skip("adds", () => {', ...LOST, "?test_rewritten a.test.js"],
  ],
  [
    "rewrites a test that was read in part",
    write("a.test.js", TEST),
    { known: [{ path: "a.test.js" }] },
    ["+test_rewritten a.test.js", ...LOST],
  ],
  [
    "rewrites its own test",
    write("a.test.js", TEST),
    { known: [{ path: "a.test.js", isNew: true }] },
    LOST,
  ],
  [
    "writes a removed test again",
    write("a.test.js", TEST),
    { open: [sign("test_file_removed", "a.test.js")] },
    ["+test_rewritten a.test.js", "-test_file_removed a.test.js", ...LOST],
  ],
  [
    "rewrites a known rewritten test",
    write("a.test.js", TEST),
    { known: [{ path: "a.test.js" }], open: [sign("test_rewritten", "a.test.js")] },
    LOST,
  ],
  [
    "may overwrite a known rewritten test",
    write("a.test.js", TEST),
    { open: [sign("test_rewritten", "a.test.js")] },
    LOST,
  ],
  [
    "adds to a test that was read",
    write("a.test.js", `${TEST}it("b", () => {\n  expect(b).toBe(1);\n});\n`),
    { known: [{ path: "a.test.js", lines }] },
    [
      "-test_removed adds",
      "-test_removed b",
      "-test_file_removed a.test.js",
      "-test_rewritten a.test.js",
    ],
  ],
  [
    "changes a test that was read",
    write("a.test.js", TEST.replace("3", "4")),
    { known: [{ path: "a.test.js", lines }] },
    ["+test_rewritten a.test.js", ...LOST],
  ],
  [
    "settles what no longer holds",
    write("a.test.js", TEST),
    {
      known: [{ path: "a.test.js", isNew: true }],
      open: [
        sign("test_skipped", "a.test.js", "it.skip("),
        sign("test_focused", "a.test.js", "adds"),
        sign("test_removed", "a.test.js", "adds"),
        sign("assertion_removed", "a.test.js", "toBe(3)"),
        sign("assertion_removed", "a.test.js", "toBe(4)"),
        sign("test_rewritten", "a.test.js"),
        sign("test_skipped", "b.test.js", "it.skip("),
      ],
    },
    ["-test_skipped it.skip(", "-test_removed adds", "-assertion_removed toBe(3)", ...LOST],
  ],
  ["does nothing", ["Read", null], undefined, []],
  ["has no command", ["Bash", { command: 5 }], undefined, []],
])("a call that %s", (_what, call, context, wanted) => {
  expect(shown(call, context)).toEqual(wanted);
});

test("signs are bounded, and have the end of a long path", () => {
  const many = (count: number, of: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => of(n));
  const removed = editSigns(...bash(`rm ${many(20, (n) => `${n}.test.js`).join(" ")}`));
  expect(removed?.signs).toHaveLength(8);
  const tests = many(30, (n) => `it("${n}", () => {});`).join("\n");
  expect(editSigns(...write("a.test.js", tests))?.undone).toHaveLength(20);
  const text = editSigns(...bash(`rm ${"x".repeat(200)}.test.js`))?.signs[0]?.text ?? "";
  expect([text.length, text.endsWith(".test.js")]).toEqual([160, true]);
  expect(editSigns(...bash(`vitest -u ${"x".repeat(300)}`))?.signs[0]).toMatchObject({
    file: "snapshots",
    text: `vitest -u ${"x".repeat(150)}`,
  });
});

test("a removed file has the same key in every folder", () => {
  expect(signKey(sign("test_file_removed", "a/b.test.js"))).toBe(
    signKey(sign("test_file_removed", "b.test.js")),
  );
  expect(signKey(sign("ignored_file", "a/.env"))).not.toBe(signKey(sign("ignored_file", ".env")));
});

test("the tests that a call writes as a whole", () => {
  expect(wholeTests(...write("a.test.js", ""))).toEqual(["a.test.js"]);
  expect(wholeTests(...write("src/a.js", ""))).toEqual([]);
  expect(wholeTests(...edit("a.test.js", "a", "b"))).toEqual([]);
  expect(wholeTests(...remove("a.test.js"))).toEqual([]);
  const [long = ""] = wholeTests(...write(`${"x".repeat(400)}/a.test.js`, ""));
  expect([long.length, long.endsWith("/a.test.js")]).toEqual([300, true]);
});

test("the first match is removed", () => {
  const list = [1, 2, 3, 2];
  expect([removeFirst(list, (n) => n === 2), list]).toEqual([true, [1, 3, 2]]);
  expect([removeFirst(list, (n) => n === 9), list]).toEqual([false, [1, 3, 2]]);
});

test.each([
  [".env", undefined, true],
  ["a/.env.test.local", undefined, true],
  [".env.test", undefined, false],
  ["settings.local.json", undefined, true],
  ["local_settings.py", undefined, true],
  ["docker-compose.override.yml", undefined, true],
  ["/srv/a/.env", "/srv/a", true],
  ["/srv/b/.env", "/srv/a", false],
  ["/srv/b/.env", undefined, true],
  ["node_modules/a/b.js", undefined, true],
  ["/x/node_modules/a/b.js", undefined, true],
  ["dist/a.js", undefined, true],
  ["./dist/a.js", undefined, true],
  ["/srv/a/dist/a.js", "/srv/a/", true],
  ["/srv/a/dist/a.js", undefined, false],
  ["packages/a/build/b.js", undefined, true],
  ["src/build/a.js", undefined, false],
  ["src/a.js", undefined, false],
  ["/srv/ab/dist/a.js", "/srv/a", false],
])("git ignores %s in %s: %s", (path, cwd, isIgnored) => {
  expect(isUsuallyIgnored(path, cwd)).toBe(isIgnored);
});
