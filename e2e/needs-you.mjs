// node e2e/needs-you.mjs [claude kimi …]: real agents in a terminal (tmux) ask
// for a permission and a question. `waymark ls --json` must show each in time, and no longer after
// the answer.
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { exactPackages, installPackages } from "../scripts/install-packages.mjs";
import { installAgent } from "./agents.mjs";
import { COMMAND, commandOf, PROMPT, QUESTION, WAITING } from "./interactive.mjs";
import { startModel } from "./model.mjs";

/** Time after the dialog appears by which `ls` must show it. */
const IN_TIME = 2_000;
const PATIENCE = 180_000;
const KINDS = ["permission", "question"];
const TEXTS = { permission: COMMAND, question: QUESTION };
const waymark = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));

/** Runs both kinds for each agent; returns whether all of them passed. Prints a table. */
export async function runNeedsYou(agents = Object.keys(WAITING)) {
  if (spawnSync("tmux", ["-V"]).status !== 0) {
    console.log("skipped: permission prompts and questions (tmux is not installed)");
    return true;
  }
  const rows = [];
  for (const agent of agents) {
    const row = WAITING[agent];
    const { package: name, version } = row;
    const say = (line) => console.log(`${agent}: ${line}`);
    try {
      const words = row.runtime
        ? await installAgent(agent, row, say)
        : commandOf(
            agent,
            await installPackages(agent, exactPackages({ [name]: version }), { say }),
          );
      for (const kind of KINDS) {
        say(`running ${version} in a terminal until it waits for the user (${kind})`);
        rows.push({ agent: `${agent} ${version}`, kind, ...(await runKind(agent, kind, words)) });
      }
    } catch (error) {
      rows.push({ agent, kind: "both", problem: String(error.message ?? error) });
    }
  }
  report(rows);
  return rows.every(({ problem }) => problem === undefined);
}

function report(rows) {
  const cell = (text, width) => String(text ?? "-").padEnd(width);
  console.log(`\n${cell("agent", 20)}${cell("kind", 12)}${cell("needs_you", 12)}cleared`);
  for (const { agent, kind, shown, cleared, problem } of rows) {
    const ms = (time) => (time === undefined ? "-" : `${Math.round(time)} ms`);
    console.log(`${cell(agent, 20)}${cell(kind, 12)}${cell(ms(shown), 12)}${ms(cleared)}`);
    if (problem !== undefined) console.log(`     FAIL: ${problem.replaceAll("\n", "\n     ")}`);
  }
  const names = new Set(rows.map(({ agent }) => agent));
  const failed = new Set(rows.filter(({ problem }) => problem).map(({ agent }) => agent));
  console.log(`\nneeds_you: ${names.size - failed.size} of ${names.size} agents`);
}

async function runKind(agent, kind, words) {
  const { api, files, start, asks, shows, pass = [], types, answer } = WAITING[agent];
  const work = mkdtempSync(join(realpathSync(tmpdir()), "waymark-needs-you-"));
  const [home, cwd, bin] = ["home", "project", "bin"].map((name) => {
    mkdirSync(join(work, name));
    return join(work, name);
  });
  symlinkSync(waymark, join(bin, "waymark"));
  const model = await startModel(api, [asks[kind], { text: "Thank you, done." }]);
  for (const [file, content] of Object.entries(files(cwd, model.url))) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), content);
  }
  const { args, env: needed } = start(model.url);
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    WAYMARK_HOME: join(work, "waymark"),
    TMUX_TMPDIR: work,
    LANG: "C.UTF-8",
    ...needed,
  };
  const terminal = openTerminal(env, cwd);
  const seen = {};
  try {
    const setup = spawnSync(process.execPath, [waymark, "setup", agent, "--yes"], {
      cwd,
      env,
      encoding: "utf8",
    });
    if (setup.status !== 0) throw new Error(`setup failed: ${setup.stderr || setup.stdout}`);
    terminal.start([...words, ...args]);
    const passed = async () => {
      const screen = terminal.screen();
      for (const [dialog, keys] of pass) if (dialog.test(screen)) await terminal.press(keys);
      return screen;
    };
    if (types) {
      await until("the prompt", async () => types.test(await passed()));
      await terminal.press([PROMPT, "Enter"]);
    }
    await until("the dialog", async () => {
      const screen = await passed();
      return shows[kind].test(screen) && isAsked(screen, kind);
    });
    const shown = performance.now();
    let last;
    const isTold = async () => {
      last = await listed(env, cwd);
      const { state, waiting } = last ?? {};
      return state === "needs_you" && waiting?.kind === kind && waiting.text === TEXTS[kind];
    };
    // Waits longer than allowed, to report how late it is.
    while (!(await isTold()))
      if (performance.now() - shown > 5 * IN_TIME)
        throw new Error(`ls says ${last?.state} ${JSON.stringify(last?.waiting)}`);
    seen.shown = performance.now() - shown;
    if (seen.shown > IN_TIME) throw new Error(`later than ${IN_TIME} ms`);
    await terminal.press(answer?.[kind] ?? ["Enter"]);
    const answered = performance.now();
    await until("the end of needs_you", async () => {
      const session = await listed(env, cwd);
      return session && session.state !== "needs_you" && session.waiting === undefined;
    });
    seen.cleared = performance.now() - answered;
    return seen;
  } catch (error) {
    const screen = terminal.screen().replace(/\n\s*(?=\n)/g, "");
    const models = model.problems.join("\n");
    return { ...seen, problem: [String(error.message ?? error), models, screen].join("\n") };
  } finally {
    terminal.close();
    model.close();
    rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Programs wrap long lines: the beginning of a text shows that it is on the screen. */
function isAsked(screen, kind) {
  return screen.includes(TEXTS[kind].slice(0, 20));
}

async function until(what, look) {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`${what} did not come within ${PATIENCE} ms`);
    await delay(50);
  }
}

/** The newest session in `waymark ls`. */
async function listed(env, cwd) {
  const child = spawn(process.execPath, [waymark, "ls", "--json"], { cwd, env });
  const pieces = [];
  child.stdout.on("data", (piece) => pieces.push(piece));
  await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return JSON.parse(Buffer.concat(pieces).toString("utf8") || "[]")[0];
}

/** A separate terminal on a separate socket. */
function openTerminal(env, cwd) {
  const tmux = (...args) =>
    spawnSync("tmux", ["-L", "needs-you", "-f", "/dev/null", ...args], {
      cwd,
      env,
      encoding: "utf8",
    });
  const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
  return {
    start(words) {
      const line = `exec ${words.map(quoted).join(" ")}`;
      const made = tmux("new-session", "-d", "-x", "100", "-y", "40", "-s", "agent", line);
      if (made.status !== 0) throw new Error(`tmux: ${made.stderr}`);
      tmux("set-option", "-g", "remain-on-exit", "on");
    },
    screen: () => tmux("capture-pane", "-p", "-t", "agent").stdout ?? "",
    async press(keys) {
      for (const key of keys) {
        tmux("send-keys", "-t", "agent", key);
        await delay(300);
      }
    },
    close() {
      const pid = Number(tmux("display-message", "-p", "-t", "agent", "#{pane_pid}").stdout);
      tmux("kill-server");
      if (!pid || !existsSync(`/proc/${pid}`)) return;
      try {
        process.kill(-pid, "SIGKILL");
      } catch (error) {
        if (error.code !== "ESRCH") throw error;
      }
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((agent) => !(agent in WAITING));
  if (unknown.length > 0) {
    const known = Object.keys(WAITING).join(", ");
    console.error(`Unknown agent: ${unknown.join(", ")}. Use ${known}.`);
    process.exit(2);
  }
  const passed = await runNeedsYou(asked.length > 0 ? asked : undefined);
  process.exitCode = passed ? 0 : 1;
}
