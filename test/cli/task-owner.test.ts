import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Task } from "../../src/tasks/model.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
  const input = ["One", "Two", "Three"].map((subject) => JSON.stringify({ subject })).join("\n");
  machine.run(["task", "add", "-"], { input });
});
afterEach(() => machine.remove());

const PAT = { USER: "pat" };
const SESSION = "aaaaaaaa-1111-4111-8111-111111111111";
const AGENT = { USER: "pat", CLAUDE_CODE_SESSION_ID: SESSION };

type Env = Readonly<Record<string, string>>;
const run = (env: Env, ...args: string[]) => machine.run(["task", ...args], { env });
const shown = (id: string) => machine.json(["task", "show", id]) as Task;

describe("without --as and --epoch", () => {
  test.each([
    ["a person, by USER", PAT, "pat", "user"],
    ["an agent, by its session", AGENT, SESSION, "agent"],
  ])("claims, renews, releases, fails and completes as %s", (_, env, owner, by) => {
    expect(run(env, "claim", "t1").stdout).toBe("Claimed t1 (epoch 1, lease 5m): One\n");
    expect(run(env, "claim").stdout).toContain("Claimed t2 (epoch 1");
    expect(run(env, "claim").stdout).toContain("Claimed t3 (epoch 1");
    expect(shown("t1")).toMatchObject({ owner, status: "claimed" });
    expect(run(env, "renew", "t1", "--lease", "1h").stdout).toBe("Renewed t1 for 1h\n");
    expect(run(env, "release", "t3").stdout).toBe("Released t3\n");
    expect(run(env, "fail", "t2", "--reason", "no disk").stdout).toContain("t2 is ready to retry");
    expect(run(env, "done", "1", "--evidence", "npm test").stdout).toBe("Completed t1\n");
    expect(shown("t1")).toMatchObject({ owner, status: "done", evidence: ["npm test"] });
    const events = machine.json(["task", "history", "t1"]) as { by: string; actor?: string }[];
    expect(events.at(-1)).toMatchObject({ type: "done", by, actor: owner });
  });

  test("without a session and USER, claiming asks for the owner", () => {
    const { status, stderr } = run({}, "claim", "t1");
    expect([status, stderr]).toEqual([2, expect.stringContaining("Missing --as OWNER")]);
  });

  test("another shell uses the owner's only claim, and of several needs the epoch", () => {
    // Each bash is a shell of its own; the one that claimed knows the epoch.
    const script = (text: string) => machine.bash(text, { env: PAT });
    const claim = "waymark task claim t1 --as ann >/dev/null";
    expect(script(`${claim}; waymark task renew t1 --as ann`).stdout).toBe("Renewed t1 for 5m\n");
    // A direct call of the test has another parent process.
    expect(run(PAT, "renew", "t1", "--as", "ann").stdout).toBe("Renewed t1 for 5m\n");
    const two = "waymark task claim t2 --as ann >/dev/null; waymark task renew t2 --as ann";
    expect(script(two).stdout).toBe("Renewed t2 for 5m\n");
    machine.run(["task", "add", "Elsewhere"]);
    // Claims that another machine made are unknown here.
    machine.bash("rm -r home/claims", { cwd: machine.root });
    const refused = run(PAT, "done", "t2", "--as", "ann");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(
      /^waymark: t2 is claimed by ann until [\d:]+; pass --epoch 1, or run `waymark task done t2` from the session that claimed it\.\n$/,
    );
    const json = run(PAT, "done", "t2", "--as", "ann", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ code: "held", holder: "ann", epoch: 1 });
    expect(run(PAT, "done", "t2", "--as", "ann", "--epoch", "1").status).toBe(0);
  });

  test("a late write of a former owner is refused, also under the same name", () => {
    const late = machine.bash(
      // A worker below this shell claims the task after the lease of the shell expired.
      "waymark task claim t1 --lease 50ms; sleep 0.2; bash -c 'waymark task claim t1; true'; waymark task done t1",
      { env: PAT },
    );
    expect(late.stdout).toContain("Claimed t1 (epoch 2");
    expect(late.stderr).toContain("Epoch 1 of t1 expired");
    expect(shown("t1")).toMatchObject({ status: "claimed", epoch: 2 });
    expect(run({ USER: "bob" }, "done", "t1").stderr).toContain("t1 is claimed by pat until");
    expect(run(AGENT, "done", "t1").stderr).toContain("t1 is claimed by pat until");
  });
});

describe("a task that is not claimed, or blocked", () => {
  test("is completed only with --force, by a person, and the history says so", () => {
    const plain = run(PAT, "done", "t1");
    expect(plain).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "waymark: t1 is not claimed. Claim it first with `waymark task claim t1`, or `waymark task done t1 --force` completes it anyway.\n",
    });
    // The refusal of an agent leaves --force out.
    expect(run(AGENT, "done", "t1").stderr).toMatch(/^waymark: t1 is not claimed, so it can't be/);
    expect(run(AGENT, "done", "t1", "--force").stderr).toContain("is a decision of the user");
    expect(run(PAT, "done", "t1", "--force").stdout).toBe(
      "Completed t1 although it was not claimed\n",
    );
    expect(shown("t1")).not.toHaveProperty("owner");
    expect(run(PAT, "show", "t1").stdout).not.toContain("last owner");
    expect(run(PAT, "history", "t1").stdout).toMatch(
      /done: Forced: it was not claimed +you via cli/,
    );
  });

  test("names its blockers, and who held it stays its last owner", () => {
    run(AGENT, "claim", "t1");
    run(PAT, "block", "t1", "t2");
    expect(run(AGENT, "done", "t1").stderr).toBe(
      "waymark: t1 is blocked by t2. `waymark task dep t1` shows it.\n",
    );
    expect(run(PAT, "done", "t1", "--force").stdout).toBe(
      "Completed t1 although it was blocked by t2\n",
    );
    expect(shown("t1")).toMatchObject({ owner: SESSION, status: "done" });
    expect(run(PAT, "show", "t1").stdout).toMatch(new RegExp(`last owner\\s+${SESSION}`));
  });
});
