import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readProofs } from "../../../src/checks/proofs.ts";
import { stopCheckFromEnv } from "../../../src/servers/hooks/stop-check.ts";
import type { Machine } from "../../cli/machine.ts";
import { writeFiles } from "../../git/repositories.ts";
import { newProject, RECORDED, SESSION, work } from "./project.ts";

const READ = {
  hook_event_name: "PostToolUse",
  tool_name: "Read",
  tool_use_id: "r1",
  tool_input: { file_path: "state.txt" },
  tool_response: "text",
};

const logOf = ({ home }: Machine) => readFileSync(join(home, "hook.log"), "utf8");

test("answers a stop once with the failing lines, then records the proof silently", async () => {
  const project = await newProject("cat state.txt; grep -q works state.txt");
  const { machine, cwd, hook, stop, runs } = project;
  work(project);
  expect(runs()).toBe(0);
  const { decision, reason } = JSON.parse(stop());
  expect(decision).toBe("block");
  expect(reason).toBe(
    [
      'The check "test" failed with exit code 1 on the present files, so 3 completed todos are not proven: "Write the parser", "Add tests", "Update the docs".',
      'Its last lines: "broken"',
      "Fix the cause, or reopen the todos that are not done.",
    ].join("\n"),
  );
  // The same files: neither a second answer nor a second run, whatever the agent reports.
  expect([stop({ stop_hook_active: true }), stop()]).toEqual(["", ""]);
  expect(runs()).toBe(1);
  // Other files that fail: the agent got an answer since the last prompt.
  writeFiles(cwd, { "state.txt": "still broken\n" });
  expect([stop(), runs()]).toEqual(["", 2]);
  hook(RECORDED[1] ?? {});
  writeFiles(cwd, { "state.txt": "broken again\n" });
  expect(JSON.parse(stop()).reason).toContain('Its last lines: "broken again"');
  // The answer is recorded: the next step does not repeat it.
  expect(hook({ ...RECORDED.at(-1), ...READ }, {})).toBe("");
  writeFiles(cwd, { "state.txt": "works\n" });
  expect(stop({ stop_hook_active: true })).toBe("");
  const proofs = readProofs(machine.home, SESSION).filter(({ ok }) => ok);
  expect(proofs.map(({ check, todo }) => [check, todo?.text])).toEqual([
    ["test", "Write the parser"],
    ["test", "Add tests"],
    ["test", "Update the docs"],
  ]);
  // Proven on these files: nothing runs.
  expect([stop(), runs()]).toEqual(["", 4]);
});

test("lets the agent stop if the check is unknown, untrusted, too slow or not wanted", async () => {
  const project = await newProject("sleep 30");
  const { machine, cwd, stop, runs } = project;
  work(project);
  expect(stop({}, {})).toBe("");
  expect(stop({}, { WAYMARK_STOP_CHECK: "off" })).toBe("");
  expect(stop({}, { WAYMARK_STOP_CHECK: "lint" })).toBe("");
  expect(logOf(machine)).toContain('No check is named "lint". Use one of: test.');
  writeFiles(cwd, { ".waymark/checks.toml": '[checks]\nlint = "exit 1"\n' });
  expect(stop({}, { WAYMARK_STOP_CHECK: "lint" })).toBe("");
  expect(logOf(machine)).toMatch(/lint .*not trusted/);
  expect(runs()).toBe(0);
  const slow = { WAYMARK_STOP_CHECK: "test", WAYMARK_STOP_CHECK_TIMEOUT: "1s" };
  // Known to be too slow for these files after the first time.
  expect([stop({}, slow), stop({}, slow)]).toEqual(["", ""]);
  expect(logOf(machine).match(/The check test did not end within 1 s\./g)).toHaveLength(1);
  expect(readProofs(machine.home, SESSION)).toEqual([]);
});

test("reads the settings", () => {
  const read = (check?: string, limit?: string) =>
    stopCheckFromEnv({ WAYMARK_STOP_CHECK: check, WAYMARK_STOP_CHECK_TIMEOUT: limit });
  expect([undefined, "", "0", "off", " "].map((each) => read(each))).toEqual(
    Array(5).fill(undefined),
  );
  expect(read("1")).toEqual({ name: undefined, limitMs: 50_000 });
  expect(read("lint", "5m")).toEqual({ name: "lint", limitMs: 300_000 });
  expect(read("lint", "banana")).toEqual({ name: "lint", limitMs: 50_000 });
});
