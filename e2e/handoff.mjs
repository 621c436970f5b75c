// node e2e/handoff.mjs [claude codex gemini opencode qwen]: a real agent keeps a list and is killed after some turns.
// `waymark handoff SESSION --to NEXT` offers its list, and the next real agent continues it: the hooks of `setup` accept
// the offer, its model reads the open todos, and both histories name the other session. Named agents choose the pairs
// that they begin.
import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exactPackages, installPackages } from "../scripts/install-packages.mjs";
import { AGENTS } from "./agents.mjs";
import { commandOf, INTERACTIVE } from "./interactive.mjs";
import { startModel } from "./model.mjs";
import { newPlace, runProgram, TIMEOUT, writeFiles } from "./program.mjs";

const PROMPT = "Fix the parser. Keep a todo list while you work.";
const TEXTS = ["Read the parser", "Write the fix", "Run the tests", "Write the changelog"];
const waymark = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));

/** Each agent once as the first and once as the next; `turns` are those before the kill. */
const PAIRS = [
  { first: "claude", next: "codex", turns: 1 },
  { first: "codex", next: "gemini", turns: 2 },
  { first: "gemini", next: "opencode", turns: 3 },
  { first: "opencode", next: "qwen", turns: 1 },
  { first: "qwen", next: "claude", turns: 2 },
];

/** Arguments of one turn without a user; those of Codex and Gemini CLI are in agents.mjs. */
const HEADLESS = {
  claude: ["-p", PROMPT, "--allowedTools", "mcp__waymark__todos"],
  opencode: ["run", "-m", "scripted/scripted", PROMPT],
  qwen: ["--auth-type", "openai", "--yolo", "-p", PROMPT],
};

/** Runs the pairs that begin with one of the agents; returns whether all checks passed. */
export async function runHandoffs(agents = Object.keys(INTERACTIVE)) {
  const results = [];
  for (const pair of PAIRS.filter(({ first }) => agents.includes(first))) {
    const say = (line) => console.log(`${pair.first} to ${pair.next}: ${line}`);
    const check = (what, ok, seen = "") => {
      results.push(ok);
      say(`${ok ? "ok  " : "FAIL"} ${what}`);
      if (!ok) say(`     ${String(seen).trim().slice(0, 2000)}`);
      return ok;
    };
    try {
      await runPair(pair, { say, check });
    } catch (error) {
      check("the run", false, error.message ?? error);
    }
  }
  const passed = results.filter((ok) => ok).length;
  console.log(`\nhandoffs: ${passed} of ${results.length} checks passed`);
  return passed === results.length;
}

async function runPair({ first, next, turns }, { say, check }) {
  const { work, home, cwd, bin, remove } = newPlace("waymark-handoff-");
  symlinkSync(waymark, join(bin, "waymark"));
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    WAYMARK_HOME: join(work, "waymark"),
    TERM: "xterm",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
  };
  const cli = (...args) =>
    spawnSync(process.execPath, [waymark, ...args], {
      cwd,
      env,
      encoding: "utf8",
      timeout: TIMEOUT,
    });
  const json = (...args) => JSON.parse(cli(...args, "--json").stdout || "null");
  const listOf = (session) =>
    (json("todos", "--session", session)?.todos ?? []).map(({ id, text, status }) => [
      id,
      text,
      status,
    ]);
  try {
    for (const agent of [first, next]) {
      writeFiles(home, INTERACTIVE[agent].files(cwd));
      const { status, stdout, stderr } = cli("setup", agent, "--yes");
      if (!check(`waymark setup ${agent}`, status === 0, stderr || stdout)) return;
    }

    say(`killing ${first} after turn ${turns}`);
    const steps = TEXTS.slice(1).map((_, n) => ({
      call: { finish: [`${n + 1}`], start: `${n + 2}` },
    }));
    const begin = {
      call: {
        todos: TEXTS.map((text, n) => ({ text, ...(n === 0 && { status: "in_progress" }) })),
      },
    };
    const started = await run(first, [...[begin, ...steps].slice(0, turns), { hang: true }], {
      cwd,
      env,
    });
    if (!check(`${first} is killed while it waits`, started.code === "SIGKILL", started.problem))
      return;
    const former = json("ls", "--all")?.[0]?.session;
    const before = listOf(former);
    const expected = TEXTS.map((text, n) => [`${n + 1}`, text, statusAt(n, turns - 1)]);
    check("its list is recorded", same(before, expected), JSON.stringify({ former, before }));

    const offered = cli("handoff", former, "--to", next);
    check(`waymark handoff SESSION --to ${next}`, offered.status === 0, offered.stderr);
    const rest = [...steps.slice(turns - 1), { call: { finish: [`${TEXTS.length}`] } }];
    const continued = await run(next, [...rest, { text: "Everything is done." }], { cwd, env });
    check(`${next} runs to its end`, continued.code === 0, continued.problem);
    const told = JSON.stringify(continued.requests[0] ?? {});
    check(
      "its model reads the open todos before its first turn",
      told.includes("taking over") &&
        TEXTS.slice(turns - 1).every((text, n) =>
          // Gemini CLI escapes the context of hooks.
          new RegExp(`${turns + n} \\[( |>|&gt;)\\] \\S*${text}`).test(told),
        ),
      continued.problem,
    );
    check(
      "its model does not read finished todos as work to do",
      TEXTS.slice(0, turns - 1).every((text) => !told.includes(text)),
      told.slice(-1500),
    );
    const session = json("ls", "--all")?.find((row) => row.session !== former)?.session;
    const after = listOf(session);
    check(
      "the list is finished with the same ids, nothing lost and nothing added",
      same(
        after,
        TEXTS.map((text, n) => [`${n + 1}`, text, "completed"]),
      ),
      JSON.stringify({ session, after }),
    );
    check("the former list stays as it was", same(listOf(former), before));
    const history = (of) => cli("history", "--session", of).stdout;
    check(
      "each history names the other session",
      history(session).includes(`from session ${former}`) &&
        history(former).includes(`to session ${session}`),
      `${history(session)}\n${history(former)}`,
    );
  } finally {
    remove();
  }
}

/** The status of the nth todo after so many were finished. */
function statusAt(n, finished) {
  if (n < finished) return "completed";
  return n === finished ? "in_progress" : "pending";
}

function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Runs an agent on a script; it is killed as soon as its model hangs. */
async function run(agent, turns, { cwd, env }) {
  const { package: name, version, api, start } = INTERACTIVE[agent];
  const place = await installPackages(agent, exactPackages({ [name]: version }));
  const [program, ...before] = commandOf(agent, place);
  const model = await startModel(api, turns);
  try {
    const { args, env: needed } = AGENTS[agent]?.start(model.url) ?? start(model.url);
    const ended = await runProgram(program, [...before, ...(HEADLESS[agent] ?? args)], {
      cwd,
      env: { ...env, ...needed },
      killed: model.hung,
    });
    const { requests, problems } = model;
    const problem = [`exit ${ended.code}, ${requests.length} requests`, ...problems]
      .concat(ended.stderr, ended.stdout)
      .join("\n");
    return { code: ended.code, requests, problem };
  } finally {
    model.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((agent) => !(agent in INTERACTIVE));
  if (unknown.length > 0) {
    console.error(
      `Unknown agent: ${unknown.join(", ")}. Use ${Object.keys(INTERACTIVE).join(", ")}.`,
    );
    process.exit(2);
  }
  const passed = await runHandoffs(asked.length > 0 ? asked : undefined);
  process.exitCode = passed ? 0 : 1;
}
