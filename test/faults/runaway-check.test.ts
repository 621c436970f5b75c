import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { endWithTest } from "../child-processes.ts";
import { type Machine, newMachine, PROGRAM } from "../cli/machine.ts";
import { FULL } from "../full.ts";
import { newRepository, writeFiles } from "../git/repositories.ts";
import { needs, ONLY_ON_LINUX, reasonAgainst } from "../skipped.ts";
import { until } from "../until.ts";
import { treeOf } from "./tree.ts";

interface Place extends Machine {
  /** The directory for temporary files, otherwise empty. */
  readonly temporary: string;
  /** Approves a command. */
  approve(command: string, ...options: string[]): void;
  verify(): { readonly status: number | null; readonly result: Result };
}

interface Result {
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly reason?: string;
  readonly output: string;
}

/** A repository with uncommitted changes and installed packages. The test fails if a run leaves or changes anything. */
function newPlace(): Place {
  const machine = newMachine();
  const temporary = join(machine.root, "t");
  mkdirSync(temporary);
  const repository = newRepository({ "a.txt": "1\n", ".gitignore": "node_modules\n" }, machine.cwd);
  writeFiles(repository, {
    "a.txt": "2\n",
    "new.txt": "1\n",
    "node_modules/kept/index.js": "1\n",
  });
  onTestFinished(() => {
    for (const pid of processesIn(machine.root)) process.kill(pid, "SIGKILL");
    machine.remove();
  });
  return {
    ...machine,
    temporary,
    approve(command, ...options) {
      const { status, stderr } = machine.run([
        "check",
        "add",
        command,
        "--name",
        "test",
        ...options,
      ]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    },
    verify() {
      const { status, stdout } = machine.run(["verify", "--json"], { env: { TMPDIR: temporary } });
      return { status, result: JSON.parse(stdout) as Result };
    },
  };
}

/** Processes that belong to a machine: by their environment, command line or directory. */
function processesIn(root: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((name) => {
      try {
        const environ = readFileSync(`/proc/${name}/environ`, "latin1");
        const line = readFileSync(`/proc/${name}/cmdline`, "latin1");
        const cwd = readlinkSync(`/proc/${name}/cwd`);
        return environ.includes(root) || line.includes(root) || cwd.startsWith(root);
      } catch {
        // It has ended.
        return false;
      }
    })
    .map(Number);
}

/** Runs the check; nothing may be left or changed after it. */
function verifyCleanly(place: Place) {
  const before = treeOf(place.cwd);
  const ran = place.verify();
  expectClean(place, before);
  return ran;
}

function expectClean(place: Place, before: Readonly<Record<string, string>>): void {
  expect(treeOf(place.cwd)).toEqual(before);
  expect(processesIn(place.root)).toEqual([]);
  expect(readdirSync(place.temporary)).toEqual([]);
  expect(readdirSync(join(place.home, "checks", "running"))).toEqual([]);
}

/** Starts the program and waits until the check has written `file`. */
async function startVerify(place: Place, file: string): Promise<ChildProcess> {
  const env = {
    PATH: process.env.PATH,
    HOME: place.root,
    WAYMARK_HOME: place.home,
    TMPDIR: place.temporary,
  };
  const child = endWithTest(
    spawn(process.execPath, [PROGRAM, "verify"], { cwd: place.cwd, env, stdio: "ignore" }),
  );
  await until(() => existsSync(file), "the start of the check");
  return child;
}

const TAGS = { tags: ["runaway-check"], ...needs(ONLY_ON_LINUX) };

/** Children that ignore SIGTERM, lead their own session, or cleared their environment. */
const CHILDREN = `trap "" TERM
setsid sh -c 'trap "" TERM; sleep 1000; sleep 1000' &
env -i /usr/bin/setsid sleep 1000 &
nohup sleep 1000 >/dev/null 2>&1 &
(setsid sh -c 'setsid sh -c "sleep 1000" & sleep 1000' &)`
  .replaceAll("\n", "; ")
  .replaceAll("&;", "&");

describe("a check", () => {
  test("that hangs is ended at its time limit, with all its children", TAGS, () => {
    const place = newPlace();
    place.approve(`${CHILDREN}; echo begun; sleep 1000`, "--timeout", "1s");
    const { status, result } = verifyCleanly(place);
    expect(status).toBe(1);
    expect(result).toMatchObject({ ok: false, exitCode: null, output: "begun" });
    expect(result.reason).toBe("The check did not end within 1s. Its processes were killed.");
  });

  test("that reads input gets none, and leaves no children when it passes", TAGS, () => {
    const place = newPlace();
    place.approve(`${CHILDREN}; cat; ! read -r line; echo passed`);
    expect(verifyCleanly(place)).toMatchObject({ status: 0, result: { ok: true } });
  });

  test("that writes 1 GB of output is ended in bounded memory", TAGS, () => {
    const place = newPlace();
    place.approve("head -c 1000000000 /dev/zero | tr '\\0' x; echo end");
    const { status, result } = verifyCleanly(place);
    expect(status).toBe(1);
    expect(result.reason).toBe("The check wrote more than 64 MiB of output and was ended.");
    expect(result.output.length).toBeLessThanOrEqual(2_000);
  });

  test("that changes its files, packages and repository changes only its checkout", TAGS, () => {
    const place = newPlace();
    const escapes = [
      "echo changed > a.txt",
      "rm -rf node_modules/* new.txt",
      'cd "$(git rev-parse --show-toplevel)" && rm -rf ./*.txt',
      'rm -rf "$(git rev-parse --git-common-dir)"/objects/[0-9a-f]*',
      "git config core.hooksPath /nowhere",
      "git branch made",
      "git worktree prune",
      // Each of these would name the working tree.
      'echo escaped > "$OLDPWD/escaped"',
      'echo escaped > "$INIT_CWD/escaped"',
      'echo escaped > "$PWD/../escaped"',
      "chmod -R a-w .",
    ];
    place.approve(`${escapes.join("; ")}; true`);
    expect(verifyCleanly(place)).toMatchObject({ status: 0 });
  });

  test("ends on Ctrl+C with its children, and nothing is recorded", TAGS, async () => {
    const place = newPlace();
    const file = join(place.root, "begun");
    place.approve(`(${CHILDREN}); touch '${file}'; sleep 1000`);
    const before = treeOf(place.cwd);
    const child = await startVerify(place, file);
    child.kill("SIGINT");
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGINT");
    expectClean(place, before);
    expect(existsSync(join(place.home, "proofs"))).toBe(false);
  });

  test("ends with Waymark if that is killed; the next run removes the rest", TAGS, async () => {
    const place = newPlace();
    const file = join(place.root, "begun");
    place.approve(`setsid sleep 1000 & touch '${file}'; [ -e '${file}.second' ] || sleep 1000`);
    const before = treeOf(place.cwd);
    const child = await startVerify(place, file);
    const begun = processesIn(place.root).length;
    child.kill("SIGKILL");
    await once(child, "exit");
    // Only the child that left the process group is still there.
    await until(() => processesIn(place.root).length === 1, "the end of the process group");
    expect(begun).toBeGreaterThan(2);
    expect(readdirSync(place.temporary)).toHaveLength(1);
    writeFileSync(`${file}.second`, "");
    expect(place.verify()).toMatchObject({ status: 0 });
    expectClean(place, before);
  });
});

const NO_MOUNT = await reasonAgainst("tmpfs", () => {
  const { status, stderr } = spawnSync(
    "unshare",
    ["-rm", "mount", "-t", "tmpfs", "-o", "size=1m", "none", "/mnt"],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr || "unshare failed");
});

test("a check that fills the disk is ended or fails, and its files are removed", {
  tags: ["runaway-check"],
  ...needs(ONLY_ON_LINUX || NO_MOUNT),
}, () => {
  const place = newPlace();
  place.approve("cat /dev/zero > full; sleep 1000", "--timeout", "20s");
  const before = treeOf(place.cwd);
  const size = FULL ? "256m" : "16m";
  const script = `mount -t tmpfs -o size=${size} none '${place.temporary}' || exit 9
    waymark verify --json; echo "exit $?"; ls -A '${place.temporary}'`;
  const { stdout, stderr } = place.bash(`unshare -rm sh -c "$SCRIPT"`, {
    env: { TMPDIR: place.temporary, SCRIPT: script },
  });
  const [json = "", rest = ""] = stdout.split(/^exit /m);
  expect({ stderr, rest }).toEqual({ stderr: "", rest: "1\n" });
  expect(JSON.parse(json)).toMatchObject({
    ok: false,
    reason: "The disk is nearly full, so the check was ended.",
  });
  expectClean(place, before);
});
