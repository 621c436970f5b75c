// npm run e2e [-- codex kimi]: real agent programs from the registry against a scripted model, in
// an empty home. `waymark setup` adds the list, the model writes it, Waymark shows it, and
// `--remove` restores every file. Then the plugins (plugins.mjs), lists that pass from one agent to the next
// (handoff.mjs), and all agents in a terminal (needs-you.mjs).
import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AGENTS, installAgent, skipReason } from "./agents.mjs";
import { runHandoffs } from "./handoff.mjs";
import { INTERACTIVE, WAITING } from "./interactive.mjs";
import { startModel } from "./model.mjs";
import { runNeedsYou } from "./needs-you.mjs";
import { PLUGINS, runPlugins } from "./plugins.mjs";
import { newPlace, runProgram, TIMEOUT, treeOf, writeFiles } from "./program.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const waymark = join(root, "bin", "waymark.js");

const TURNS = [
  {
    call: {
      todos: [
        { text: "Read the parser", status: "in_progress" },
        { text: "Write the fix" },
        { text: "Run the tests" },
      ],
    },
  },
  { call: { finish: ["1"], start: "2" } },
  { text: "The parser is read; the fix comes next." },
];

const asked = process.argv.slice(2);
const KNOWN = [...new Set([...Object.keys(WAITING), ...Object.keys(AGENTS)])];
const unknown = asked.filter((agent) => !KNOWN.includes(agent));
if (unknown.length > 0) {
  console.error(`Unknown agent: ${unknown.join(", ")}. Use ${KNOWN.join(", ")}.`);
  process.exit(2);
}
const chosen = (known) =>
  Object.keys(known).filter((agent) => asked.length === 0 || asked.includes(agent));

const results = [];
for (const agent of chosen(AGENTS)) {
  const say = (line) => console.log(`${agent}: ${line}`);
  const skipped = skipReason(AGENTS[agent]);
  if (skipped !== undefined) {
    say(`skipped: ${skipped}`);
    continue;
  }
  try {
    results.push(...(await runAgent(agent, await installAgent(agent, AGENTS[agent], say), say)));
  } catch (error) {
    results.push({ agent, what: "the run", ok: false, seen: String(error.message ?? error) });
  }
}

console.log("");
for (const { agent, what, ok, seen } of results)
  console.log(`${ok ? "ok  " : "FAIL"} ${agent}: ${what}${ok ? "" : `\n     ${seen}`}`);
const failed = results.filter(({ ok }) => !ok).length;
console.log(`\n${results.length - failed} of ${results.length} checks passed`);
const plugins = await runPlugins(chosen(PLUGINS));
const handoffs = await runHandoffs(chosen(INTERACTIVE));
const needsYou = await runNeedsYou(chosen(WAITING));
process.exitCode = failed === 0 && plugins && handoffs && needsYou ? 0 : 1;

async function runAgent(agent, [program, ...words], say) {
  const { version, files, api, start, toldIn, call, wait, adds } = AGENTS[agent];
  const results = [];
  const check = (what, ok, seen = "") => {
    results.push({ agent, what, ok, seen: String(seen).trim().slice(0, 600) });
    say(`${ok ? "ok  " : "FAIL"} ${what}`);
  };
  const { work, home, cwd, bin, remove } = newPlace("waymark-e2e-");
  symlinkSync(waymark, join(bin, "waymark"));
  const [first, ...turns] = TURNS.map((turn) => (turn.call && call ? call(turn.call) : turn));
  const model = await startModel(api, [{ ...first, wait }, ...turns]);
  writeFiles(home, typeof files === "function" ? files(model.url, cwd) : files);
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    WAYMARK_HOME: join(work, "waymark"),
    TERM: "xterm",
    NO_COLOR: "1",
  };
  const cli = (...args) =>
    spawnSync(process.execPath, [waymark, ...args], {
      cwd,
      env,
      encoding: "utf8",
      timeout: TIMEOUT,
    });
  try {
    const before = treeOf(home);
    const setup = cli("setup", agent, "--yes");
    check(`waymark setup ${agent} --yes`, setup.status === 0, setup.stderr || setup.stdout);
    if (setup.status !== 0) return results;
    const changed = treeOf(home);

    say(`running ${agent} ${version} on a model of ${TURNS.length} turns`);
    const { env: needed, args } = start(model.url);
    const run = await runProgram(program, [...words, ...args], {
      cwd,
      env: { ...env, ...needed },
    });
    check(`${agent} runs to its end`, run.code === 0, run.stderr || run.stdout);
    const received = model.requests.map((request) => toldIn(request).join("\n"));
    check(
      "the call arrives, and the model is answered with the list",
      /1 \[>\] \\?"Read the parser[\s\S]*3 \[ \] \\?"Run the tests/.test(received[1] ?? ""),
      `${model.problems.join("\n")}\n${received[1] ?? `${received.length} requests`}`,
    );
    check(
      "a change is answered with what changed",
      /\[x\] \\?"Read the parser/.test(received[2] ?? "") && /1 of 3 done/.test(received[2] ?? ""),
      received[2],
    );

    const shown = cli("todos", "--json");
    const todos = parse(shown.stdout)?.todos ?? [];
    check(
      "waymark todos --json shows it",
      JSON.stringify(todos.map(({ text, status }) => [text, status])) ===
        JSON.stringify([
          ["Read the parser", "completed"],
          ["Write the fix", "in_progress"],
          ["Run the tests", "pending"],
        ]),
      shown.stderr || shown.stdout,
    );
    const listed = cli("ls");
    check("waymark ls shows it", /\b1\/3\b/.test(listed.stdout), listed.stderr || listed.stdout);

    const removed = cli("setup", agent, "--remove", "--yes");
    check(`waymark setup ${agent} --remove --yes`, removed.status === 0, removed.stderr);
    check("every file is as it was, byte for byte", ...sameAs(home, before, changed, adds));
    return results;
  } finally {
    model.close();
    remove();
  }
}

/**
 * Existing files are unchanged and everything that setup added is removed; files of the agent may
 * stay.
 */
function sameAs(home, before, added, adds) {
  const now = treeOf(home);
  const differing = [...before].filter(
    ([file, bytes]) => !adds?.test(file) && !now.get(file)?.equals(bytes),
  );
  const left = [...added.keys()].filter((file) => !before.has(file) && now.has(file));
  const seen = [
    ...differing.map(([file]) => `${file} is\n${now.get(file) ?? "gone"}`),
    ...left.map((file) => `${file} is left`),
  ];
  return [seen.length === 0, seen.join("\n")];
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
