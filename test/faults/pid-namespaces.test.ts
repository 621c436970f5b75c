// Containers that share a home directory: each has its own processes 1, 2, 3.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { bundleWorker, removeBundle } from "../concurrency/processes.ts";
import { needs } from "../skipped.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import { pause, until } from "../until.ts";

const UNSHARE = ["unshare", "--pid", "--fork", "--mount-proc"];
const NO_NAMESPACES =
  spawnSync(UNSHARE[0] ?? "", [...UNSHARE.slice(1), "true"]).status === 0
    ? ""
    : "no pid namespaces: unshare is missing or not permitted";

const SHELLS = ["dash", "bash", "busybox", "ksh", "mksh", "zsh"].filter(
  (shell) => spawnSync("which", [shell]).status === 0,
);
const POSIX = { bash: ["--posix"], busybox: ["sh"], zsh: ["--emulate", "sh"] };

/** Runs to the end with an input. */
async function run(
  [program = "", ...args]: readonly string[],
  input: string,
  env: NodeJS.ProcessEnv,
) {
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  child.stdin.on("error", () => undefined).end(input);
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}

describe.each(SHELLS)("the hook script with %s", (shell) => {
  /** The program that the script starts when it cannot record the event itself. */
  const PROGRAM = `#!/bin/sh
cat >"$HOME/program.$NAME"
`;
  /**
   * Replaces `mv`: the first event is moved when the second is written or passed on, the second
   * after it.
   */
  const MOVE = `#!/bin/sh
wait_for() {
  tries=0
  until [ -e "$HOME/$1" ] || [ -e "$HOME/program.$OTHER" ] || [ "$tries" = 1000 ]; do
    sleep 0.01
    tries=$((tries + 1))
  done
}
>"$HOME/written.$NAME"
case $NAME in 0) wait_for written.1 ;; 1) wait_for moved.0 ;; esac
${spawnSync("which", ["mv"], { encoding: "utf8" }).stdout.trim()} "$@"
code=$?
>"$HOME/moved.$NAME"
exit $code
`;

  /** Two simultaneous events from two processes with the same id, and the result. */
  async function bothEvents(sessions: readonly [string, string]) {
    const home = temporaryDirectory();
    for (const dir of ["bin", "due", "sessions", "spool"]) mkdirSync(join(home, dir));
    for (const session of sessions) {
      writeFileSync(join(home, "due", session), "9 0 0\n");
      writeFileSync(join(home, "sessions", `${session}.pid`), "0 \n");
    }
    const program = join(home, "program");
    writeFileSync(program, PROGRAM, { mode: 0o755 });
    writeFileSync(join(home, "bin", "mv"), MOVE, { mode: 0o755 });
    const script = join(home, "waymark-hook");
    const text = readFileSync("bin/waymark-hook", "utf8");
    expect(text).toContain("$$");
    writeFileSync(script, text.replaceAll("$$", "7"));
    const events = sessions.map((session, index) =>
      JSON.stringify({ session_id: session, tool_name: "Bash", tool_use_id: `c${index}` }),
    );
    const before = POSIX[shell as keyof typeof POSIX] ?? [];
    const command = [shell, ...before, script, program, "hook", "claude", "PreToolUse"];
    const start = (index: 0 | 1) =>
      run(command, events[index] ?? "", {
        PATH: `${join(home, "bin")}:${process.env.PATH}`,
        HOME: home,
        WAYMARK_HOME: home,
        NAME: String(index),
        OTHER: String(1 - index),
      });
    const first = start(0);
    await until(() => existsSync(join(home, "written.0")), "the first event");
    const runs = [first, start(1)];
    for (const { code, stderr } of await Promise.all(runs))
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const spooled = readdirSync(join(home, "spool")).map((name) => ({
      session: name.split(".")[0],
      text: readFileSync(join(home, "spool", name), "utf8"),
    }));
    const handedOn = ["0", "1"]
      .map((name) => join(home, `program.${name}`))
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, "utf8"));
    return { events, spooled, handedOn };
  }

  test("records the events of two sessions with the same process id", {
    tags: ["pid-namespaces"],
  }, async () => {
    const { events, spooled } = await bothEvents(["s", "t"]);
    expect(spooled.map(({ text }) => text).toSorted()).toEqual(events);
    for (const { session, text } of spooled) expect(JSON.parse(text).session_id).toBe(session);
  });

  test("records both events of one session with the same process id", {
    tags: ["pid-namespaces"],
  }, async () => {
    const { events, spooled, handedOn } = await bothEvents(["s", "s"]);
    expect([...spooled.map(({ text }) => text), ...handedOn].toSorted()).toEqual(events);
  });
});

describe("the spool", () => {
  /** The module as loaded by another process with this id in the same millisecond. */
  async function inAnotherProcess() {
    vi.resetModules();
    return import("../../src/home/spool.ts");
  }

  test("keeps events and batches of processes with the same id apart", {
    tags: ["pid-namespaces"],
  }, async () => {
    vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
    onTestFinished(() => void vi.restoreAllMocks());
    const home = temporaryDirectory();
    const place = { session: "s", agent: "claude", event: "PreToolUse" };
    const texts = ['{"session_id":"s","n":1}', '{"session_id":"s","n":2}'];
    for (const text of texts) (await inAnotherProcess()).spoolEvent(home, place, text);
    const one = (await inAnotherProcess()).takeBatch(home);
    expect(one?.events.map(({ text }) => text).toSorted()).toEqual(texts);
    (await inAnotherProcess()).spoolEvent(home, place, "{}");
    const two = (await inAnotherProcess()).takeBatch(home);
    expect(two?.events.map(({ text }) => text)).toEqual(["{}"]);
    // The store commits only the first of two batches with the same key.
    expect(two?.key).not.toBe(one?.key);
  });
});

describe("in pid namespaces of their own", { timeout: 60_000, ...needs(NO_NAMESPACES) }, () => {
  const node = `"${process.execPath}" bin/waymark.js hook claude`;
  /** An agent with hooks and a server; in between it waits until another agent starts or ends. */
  const AGENT = `
    const { existsSync, writeFileSync } = require("node:fs");
    const { spawnSync } = require("node:child_process");
    const { SESSION, OTHER, HOOK, SERVER, WAYMARK_HOME: home } = process.env;
    const run = (command, input) => spawnSync("/bin/sh", ["-c", command], { input, encoding: "utf8" });
    const hook = (event) => run(HOOK + " " + event, JSON.stringify({ session_id: SESSION, source: "startup" }));
    const say = (what) => writeFileSync(home + "/" + what, "");
    const wait = (what) => {
      const until = Date.now() + 20_000;
      while (!existsSync(home + "/" + what) && Date.now() < until)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    };
    hook("SessionStart");
    say("started-" + SESSION);
    wait("started-" + OTHER);
    const first = run(SERVER, "").stdout;
    say("asked-" + SESSION);
    if (SESSION === "two") {
      wait("asked-one");
      hook("SessionEnd");
      say("ended-two");
    } else wait("ended-two");
    const second = SESSION === "two" ? first : run(SERVER, "").stdout;
    process.stdout.write(JSON.stringify({ pid: process.pid, first, second }));
  `;

  test("keeps the sessions of two agents with the same process id", {
    tags: ["pid-namespaces"],
  }, async () => {
    const home = temporaryDirectory();
    const server = await bundleWorker("test/sessions/resolve-child.ts");
    onTestFinished(() => removeBundle(server));
    const agents = (["one", "two"] as const).map(async (session) => {
      // A shell in between, so that the agent is not the first process.
      const agent = [...UNSHARE, "sh", "-c", '"$0" -e "$AGENT"; true', process.execPath];
      const { stdout, stderr } = await run(agent, "", {
        ...process.env,
        AGENT,
        WAYMARK_HOME: home,
        SESSION: session,
        OTHER: session === "one" ? "two" : "one",
        HOOK: node,
        SERVER: `"${process.execPath}" "${server}" "${home}"; true`,
      });
      return { stderr, ...JSON.parse(stdout) };
    });
    const [one, two] = await Promise.all(agents);
    expect(one.pid).toBe(two.pid);
    expect(one).toMatchObject({ first: "one claude-code", second: "one claude-code" });
    expect(two).toMatchObject({ first: "two claude-code" });
  });

  test("a server that is the first process of a container runs until its input ends", {
    tags: ["pid-namespaces"],
  }, async () => {
    const home = temporaryDirectory();
    const command = [...UNSHARE, process.execPath, "bin/waymark.js", "mcp"];
    const [program = "", ...args] = command;
    const child = spawn(program, args, {
      env: { ...process.env, HOME: home, WAYMARK_HOME: home },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    const lines: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (text) => lines.push(text));
    const ping = (id: number) =>
      child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
    child.stdin.on("error", () => undefined);
    ping(1);
    await until(() => lines.join("").includes('"id":1'), "the first answer");
    await pause(1_500, "the server looks at its parents every second");
    ping(2);
    await until(
      () => child.exitCode !== null || lines.join("").includes('"id":2'),
      "the second answer, or the end",
    );
    expect(lines.join("")).toContain('"id":2');
    child.stdin.end();
    await ended;
  });
});
