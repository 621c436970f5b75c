import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Machine, newMachine } from "../cli/machine.ts";
import { serverForFile } from "./server.ts";

const server = serverForFile({ fsync: "off" });
let machines: readonly [Machine, Machine];
beforeAll(() => {
  machines = [newMachine(), newMachine()];
}, 60_000);
afterAll(() => {
  for (const machine of machines) machine.remove();
}, 60_000);

function git(cwd: string, ...args: string[]): void {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
}

test("shares tasks between two clones of a repository and one server", () => {
  const [here, there] = machines;
  const env = { WAYMARK_STORE: server.url };
  const folder = (machine: Machine) => join(machine.cwd, "backlog", "tasks");
  const sync = (machine: Machine, ...args: string[]) =>
    machine.run(["task", "files", ...args], { env });
  mkdirSync(folder(here), { recursive: true });
  const name = "task-1 - One.md";
  writeFileSync(join(folder(here), name), "---\nid: TASK-1\ntitle: One\nstatus: To Do\n---\n");
  git(here.cwd, "init", "-qb", "main");
  git(here.cwd, "add", "-A");
  git(here.cwd, "commit", "-qm", "one");
  git(there.cwd, "clone", "-q", here.cwd, ".");

  expect(sync(here).stdout).toBe("1 task added\n");
  expect(sync(there).stdout).toBe("In step: 1 task\n");
  there.run(["task", "edit", "t1", "--subject", "Uno"], { env });
  there.run(["task", "add", "Part", "--parent", "t1"], { env });
  for (const machine of machines)
    expect(sync(machine)).toMatchObject({ status: 0, stdout: "1 file created, 1 file changed\n" });
  // Both clones write the same file for the same task.
  const contents = machines.map((machine) =>
    readdirSync(folder(machine)).map((each) => [
      each,
      readFileSync(join(folder(machine), each), "utf8"),
    ]),
  );
  expect(contents[0]).toEqual(contents[1]);
  expect(contents[0]).toHaveLength(2);
  const listed = here.run(["task", "list", "--json"], { env });
  expect(JSON.parse(listed.stdout)).toHaveLength(2);
});
