import { expect, test } from "vitest";
import type { ObservedEvent } from "../../../src/core/activity/observation.ts";
import type { TamperKind } from "../../../src/core/checks/tamper.ts";
import { evidenceLevelOf, isProven } from "../../../src/core/views/evidence.ts";
import { createTracker } from "../../../src/index.ts";
import { cpuTime } from "../../cpu-time.ts";

type Call = readonly [name: string, input: unknown];

const edit = (path: string, before: string, after: string): Call => [
  "Edit",
  { file_path: path, old_string: before, new_string: after },
];
const write = (path: string, content: string): Call => ["Write", { file_path: path, content }];
const bash = (command: string): Call => ["Bash", { command }];
const patch = (text: string): Call => [
  "apply_patch",
  { input: `*** Begin Patch\n${text}\n*** End Patch` },
];

/** A session that starts a todo, makes the calls, runs the tests and completes the todo. */
function session(calls: readonly Call[], failed = false) {
  let now = 1_000;
  const { own } = createTracker({ clock: () => (now += 1_000) });
  own.set([{ text: "Fix it", status: "in_progress" }]);
  const run = ([name, input]: Call, isFailed = false): void => {
    const ended: ObservedEvent = {
      type: isFailed ? "tool.failed" : "tool.completed",
      callId: "c",
      name,
      output: "",
    };
    own.observe([{ type: "tool.started", callId: "c", name, input }]);
    own.observe([name === "Bash" ? { ...ended, exitCode: 0 } : ended]);
  };
  for (const call of calls) run(call, failed);
  const complete = () => own.set([{ text: "Fix it", status: "completed" }]);
  const todo = () => {
    const found = own.get()[0];
    if (!found) throw new Error("no todo");
    return found;
  };
  run(bash("npm test"));
  complete();
  return { run, todo };
}

const kindsAfter = (...calls: readonly Call[]) =>
  (session(calls).todo().check?.warnings ?? []).map(({ kind }) => kind);

const TEST = 'it("adds", () => {\n  expect(add(1, 2)).toBe(3);\n});\n';

const SIGNS: readonly (readonly [TamperKind, Call])[] = [
  ["test_skipped", edit("a.test.js", 'it("adds", () => {', 'it.skip("adds", () => {')],
  ["test_skipped", edit("a.test.js", "it(", "it.skip(")],
  ["test_skipped", edit("test_a.py", "def test_a():", "@pytest.mark.skip\ndef test_a():")],
  ["test_skipped", edit("src/lib.rs", "    #[test]\n", "    #[test]\n    #[ignore]\n")],
  ["test_skipped", edit("a_test.go", "\tgot := Add(1)\n", '\tt.Skip("x")\n\tgot := Add(1)\n')],
  ["test_skipped", write("a.test.js", TEST.replace("it(", "it.skip("))],
  ["test_focused", edit("a.test.js", "describe(", "describe.only(")],
  ["test_removed", edit("a.test.js", TEST, "")],
  ["assertion_removed", edit("a.test.js", "  expect(add(1, 2)).toBe(3);\n", "")],
  ["assertion_removed", edit("test_a.py", "    assert add(1, 2) == 3\n", "    add(1, 2)\n")],
  ["assertion_weakened", edit("a.test.js", "expect(n).toBe(3);", "expect(n).toBeDefined();")],
  ["assertion_emptied", edit("a.test.js", "expect(n).toBe(3);", "expect(true).toBe(true);")],
  ["snapshot_rewritten", edit("__snapshots__/a.snap", "<p>3</p>", "<p>5</p>")],
  ["snapshot_rewritten", bash("npx vitest run -u")],
  ["snapshot_rewritten", bash("npm test -- -u")],
  ["snapshot_rewritten", bash("pytest --snapshot-update")],
  ["snapshot_rewritten", bash("INSTA_UPDATE=always cargo test")],
  ["snapshot_rewritten", bash("go test ./... -update")],
  ["check_changed", edit("package.json", '    "test": "vitest run",', '    "test": "echo ok",')],
  ["check_changed", edit("Makefile", "\tpytest tests\n", "\techo ok\n")],
  ["tests_excluded", edit("pytest.ini", "addopts = -q", "addopts = -q --ignore=tests/test_a.py")],
  ["threshold_lowered", edit("jest.config.js", "branches: 90", "branches: 10")],
  [
    "exit_code_ignored",
    edit("package.json", '"test": "vitest run"', '"test": "vitest run || true"'),
  ],
  [
    "exit_code_ignored",
    edit("/srv/app/.github/workflows/ci.yml", "- run: npm test", "- run: npm test || true"),
  ],
  ["test_file_removed", bash("rm tests/test_a.py")],
  ["test_file_removed", bash("git mv a.test.js a.test.js.bak")],
  ["test_file_removed", patch("*** Delete File: a.test.js")],
  [
    "test_skipped",
    patch('*** Update File: a.test.js\n@@\n-it("adds", () => {\n+it.skip("adds", () => {\n   x();'),
  ],
  [
    "test_skipped",
    ["MultiEdit", { file_path: "a.test.js", edits: [{ old_string: "it(", new_string: "xit(" }] }],
  ],
];

test.each(SIGNS)("warns of %s in an edit", (kind, call) => {
  const { todo } = session([call]);
  expect(todo().check?.warnings).toMatchObject([{ kind }]);
  expect(todo().check?.warnings?.[0]?.text).not.toBe("");
  expect([evidenceLevelOf(todo()), isProven(todo())]).toEqual(["verified", false]);
});

const HONEST: Readonly<Record<string, readonly Call[]>> = {
  "source code": [edit("src/add.js", "return a - b;", "return a + b;")],
  "a new test": [
    edit("a.test.js", TEST, `${TEST}it("adds more", () => {\n  expect(add(2, 2)).toBe(4);\n});\n`),
  ],
  "a new file": [write("b.test.js", TEST)],
  "a test that moved to a new file": [write("b.test.js", TEST), edit("a.test.js", TEST, "")],
  "a test that moved from an old file": [edit("a.test.js", TEST, ""), edit("b.test.js", "", TEST)],
  "a file that moved": [write("test/a.test.js", TEST), bash("rm src/a.test.js")],
  "a moved file": [bash("git mv a.test.js test/a.test.js")],
  "a skipped test that runs again": [
    edit("a.test.js", 'it("adds", () => {', 'it.skip("adds", () => {'),
    edit("a.test.js", 'it.skip("adds", () => {', 'it("adds", () => {'),
  ],
  "a removed test that was restored": [edit("a.test.js", TEST, ""), write("a.test.js", TEST)],
  "a change that git restored": [
    edit("a.test.js", "it(", "it.skip("),
    bash("git checkout a.test.js"),
  ],
  "another version of a test library": [
    edit("package.json", '"@playwright/test": "^1.1.0"', '"@playwright/test": "^1.2.0"'),
  ],
  "another types file": [edit("package.json", '"types": "a.d.ts"', '"types": "b.d.ts"')],
  "a stricter assertion": [edit("a.test.js", "expect(n).toBeDefined();", "expect(n).toBe(3);")],
};

test.each(Object.entries(HONEST))("does not warn of %s", (_what, calls) => {
  expect(kindsAfter(...calls)).toEqual([]);
});

/** A session whose calls have outputs, in a known directory. */
function warned(...calls: readonly (readonly [...Call, output?: string])[]) {
  let now = 1_000;
  const { own } = createTracker({ clock: () => (now += 1_000) });
  own.observe([{ type: "session.started", cwd: "/srv/app" }]);
  own.set([{ text: "Fix it", status: "in_progress" }]);
  for (const [name, input, output = ""] of [...calls, bash("npm test")]) {
    own.observe([{ type: "tool.started", callId: "c", name, input }]);
    const exit = name === "Bash" && { exitCode: 0 };
    own.observe([{ type: "tool.completed", callId: "c", name, output, ...exit }]);
  }
  own.set([{ text: "Fix it", status: "completed" }]);
  return (own.get()[0]?.check?.warnings ?? []).map(({ kind }) => kind);
}

const read = (path: string, text: string, more = {}) =>
  [
    "Read",
    { file_path: path, ...more },
    text
      .split("\n")
      .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
      .join("\n"),
  ] as const;
const MORE = 'it("adds more", () => {\n  expect(add(2, 2)).toBe(4);\n});\n';
const UPDATED = "The file a.test.js has been updated successfully.";

test("warns of a rewritten test file whose former text is not known", () => {
  const whole = write("a.test.js", TEST);
  expect(warned([...whole, UPDATED])).toEqual(["test_rewritten"]);
  expect(warned([...whole, "Successfully overwrote file: a.test.js"])).toEqual(["test_rewritten"]);
  expect(warned(read("a.test.js", TEST + MORE, { limit: 3 }), whole)).toEqual(["test_rewritten"]);
  expect(warned(read("/srv/app/a.test.js", TEST + MORE), whole)).toEqual(["test_rewritten"]);
  const cut = ["Read", { file_path: "a.test.js" }, `${TEST}\n\u2026\n${MORE}`] as const;
  expect(warned(cut, write("a.test.js", TEST + MORE))).toEqual(["test_rewritten"]);
  expect(warned(bash("rm a.test.js"), whole)).toEqual(["test_rewritten"]);
});

test("compares a rewritten test file with the text that the agent read", () => {
  const first = read("a.test.js", TEST);
  expect(warned(first, [...write("a.test.js", TEST + MORE), UPDATED])).toEqual([]);
  expect(warned(first, [...write("a.test.js", TEST.replace("3", "4")), UPDATED])).toEqual([
    "test_rewritten",
  ]);
  const mocked = `import { add } from "./add.js";\n${TEST}`;
  expect(
    warned(read("a.test.js", mocked), [
      ...write("a.test.js", `${mocked}vi.mock("./add.js", () => ({ add: () => 3 }));\n`),
      UPDATED,
    ]),
  ).toEqual(["code_replaced"]);
  const plain = ["read_file", { path: "a.test.js" }, TEST] as const;
  expect(warned(plain, write("a.test.js", TEST + MORE))).toEqual([]);
});

test("takes a rewritten test file back once all of its lines are there again", () => {
  const gutted = write("a.test.js", MORE);
  const whole = read("a.test.js", TEST);
  expect(warned(whole, gutted, write("a.test.js", MORE + TEST))).toEqual([]);
  expect(warned(whole, gutted, bash("git checkout -- a.test.js"))).toEqual([]);
  expect(warned(whole, gutted, read("a.test.js", MORE), gutted)).toEqual(["test_rewritten"]);
});

test("does not warn of test files that the agent created", () => {
  const created = [...write("a.test.js", TEST), "File created successfully at: a.test.js"] as const;
  expect(warned(created)).toEqual([]);
  expect(warned(created, [...write("a.test.js", MORE), UPDATED])).toEqual([]);
  const missing = ["Read", { file_path: "a.test.js" }, "File does not exist."] as const;
  expect(warned(missing, created)).toEqual([]);
});

test.each([
  write("/srv/app/.env", "A=1\n"),
  write(".env.local", "A=1\n"),
  write("config/settings.local.json", "{}\n"),
  write("app/local_settings.py", "A = 1\n"),
  write("/srv/app/dist/add.js", "export {};\n"),
  write("packages/web/build/add.js", "export {};\n"),
  edit("node_modules/add/index.js", "-", "+"),
  patch("*** Add File: local/add.py\n+A = 1"),
  bash("echo A=1 > .env"),
  bash("cp /home/me/keys .env"),
])("warns of a file that git usually ignores: %j", (...call) => {
  expect(warned(call)).toEqual(["ignored_file"]);
  expect(warned(call, call)).toEqual(["ignored_file"]);
});

test.each([
  write(".env.example", "A=1\n"),
  write(".env.test", "A=1\n"),
  write("src/build/plan.js", "export {};\n"),
  write("src/local/add.js", "export {};\n"),
  write("/home/me/.env", "A=1\n"),
  bash("cp .env.example .env"),
  bash("make > build/log.txt"),
])("does not warn of a file that git usually keeps: %j", (...call) => {
  expect(warned(call)).toEqual([]);
});

test("takes the warning back once the ignored file is removed", () => {
  expect(warned(write("/srv/app/.env", "A=1\n"), bash("rm .env"))).toEqual([]);
  expect(warned(write("local/a.py", "A = 1\n"), patch("*** Delete File: local/a.py"))).toEqual([]);
});

test("ignores edits that failed and edits before the todo", () => {
  const skip = edit("a.test.js", "it(", "it.skip(");
  expect(session([skip], true).todo().check?.warnings).toBeUndefined();
  let now = 1_000;
  const { own } = createTracker({ clock: () => (now += 1_000) });
  own.observe([{ type: "tool.started", callId: "1", name: skip[0], input: skip[1] }]);
  own.observe([{ type: "tool.completed", callId: "1", name: skip[0], output: "" }]);
  own.set([{ text: "Fix it", status: "in_progress" }]);
  own.observe([
    { type: "tool.started", callId: "2", name: "Bash", input: { command: "npm test" } },
  ]);
  own.observe([{ type: "tool.completed", callId: "2", name: "Bash", output: "", exitCode: 0 }]);
  own.set([{ text: "Fix it", status: "completed" }]);
  expect(own.get()[0]?.check).toEqual({
    command: "npm test",
    exitCode: 0,
    at: expect.any(Number),
  });
});

test("verifies a completion again after its signs were undone", () => {
  const { run, todo } = session([edit("a.test.js", "it(", "it.skip(")]);
  expect(isProven(todo())).toBe(false);
  run(edit("a.test.js", "it.skip(", "it("));
  expect(isProven(todo())).toBe(false);
  run(bash("npm test"));
  expect(todo().check?.warnings).toBeUndefined();
  expect(isProven(todo())).toBe(true);
});

test("takes constant time and memory per edit", () => {
  const long = `${TEST}${"expect(a).toBe(1);\n(it.skip(".repeat(5_000)}`;
  const { run, todo } = session([]);
  const start = cpuTime();
  for (let n = 0; n < 50; n++) {
    run(edit("a.test.js", long, `x${n}`));
    run(edit("a.test.js", `it("a${n}", () => {`, `it.skip("a${n}", () => {`));
  }
  expect(cpuTime() - start).toBeLessThan(2_000);
  run(bash("npm test"));
  expect(todo().check).toBeDefined();
});
