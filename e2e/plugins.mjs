// node e2e/plugins.mjs [claude codex gemini opencode]: real agents install the packages of plugins/ with their own
// commands into an empty home. The model writes a list through the tool of the plugin, hooks run, and the agent's own
// command removes the plugin again.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exactPackages, installPackages } from "../scripts/install-packages.mjs";
import { AGENTS } from "./agents.mjs";
import { commandOf, INTERACTIVE } from "./interactive.mjs";
import { startModel } from "./model.mjs";
import { newPlace, runProgram, TIMEOUT, treeOf, writeFiles } from "./program.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const PROMPT = "Fix the parser. Keep a todo list while you work.";
const NAME = "waymark@waymark";

const TURNS = [
  {
    call: {
      todos: [{ text: "Read the parser", status: "in_progress" }, { text: "Write the fix" }],
    },
  },
  { text: "The list is written." },
];

const settingsText = (value) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * `install` and `remove` are the program's own commands with their input. `events` are hooks that have to run, `without`
 * is the agent's own list tool, if the plugin turns it off. `asBefore` undoes what the program leaves in a file of the user.
 */
export const PLUGINS = {
  claude: {
    install: [
      { args: ["plugin", "marketplace", "add", root] },
      { args: ["plugin", "install", NAME] },
    ],
    remove: [
      { args: ["plugin", "uninstall", NAME] },
      { args: ["plugin", "marketplace", "remove", "waymark"] },
    ],
    files: { ".claude/settings.json": settingsText({ model: "sonnet" }) },
    // Claude Code keeps two settings that it emptied.
    asBefore: (text) => {
      const { enabledPlugins, extraKnownMarketplaces, ...rest } = JSON.parse(text);
      const isEmpty = Object.keys({ ...enabledPlugins, ...extraKnownMarketplaces }).length === 0;
      return isEmpty ? settingsText(rest) : text;
    },
    args: ["-p", PROMPT, "--allowedTools", "mcp__plugin_waymark_waymark__todos"],
    events: ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"],
  },
  codex: {
    install: [{ args: ["plugin", "marketplace", "add", root] }, { args: ["plugin", "add", NAME] }],
    remove: [
      { args: ["plugin", "remove", NAME] },
      { args: ["plugin", "marketplace", "remove", "waymark"] },
    ],
    events: ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"],
  },
  gemini: {
    install: [
      {
        args: ["extensions", "install", join(root, "plugins/gemini"), "--consent"],
        // Whether the folder is trusted.
        input: "y\n",
      },
    ],
    remove: [{ args: ["extensions", "uninstall", "waymark"] }],
    without: "write_todos",
    events: ["SessionStart", "BeforeAgent", "AfterTool", "AfterAgent"],
  },
  opencode: {
    install: [{ args: ["plugin", join(root, "plugins/opencode"), "--global"] }],
    // opencode has no command that removes a plugin; the user deletes the entry.
    remove: [],
    files: { ".config/opencode/opencode.json": settingsText({ share: "disabled" }) },
    asBefore: (text) => {
      const { plugin, $schema: _, ...rest } = JSON.parse(text);
      return plugin?.length === 1 ? settingsText(rest) : text;
    },
    without: "todowrite",
    args: ["run", PROMPT],
    events: ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"],
  },
};

/** Runs every check of the chosen agents; returns whether all passed. */
export async function runPlugins(agents = Object.keys(PLUGINS)) {
  const results = [];
  for (const agent of agents) {
    const say = (line) => console.log(`${agent} plugin: ${line}`);
    const check = (what, ok, seen = "") => {
      results.push(ok);
      say(
        `${ok ? "ok  " : "FAIL"} ${what}${ok ? "" : `\n     ${String(seen).trim().slice(0, 1500)}`}`,
      );
      return ok;
    };
    const { package: name, version } = INTERACTIVE[agent];
    try {
      const place = await installPackages(agent, exactPackages({ [name]: version }), { say });
      await runPlugin(agent, commandOf(agent, place), { say, check });
    } catch (error) {
      check("the run", false, error.message ?? error);
    }
  }
  const passed = results.filter((ok) => ok).length;
  console.log(`\nplugins: ${passed} of ${results.length} checks passed`);
  return passed === results.length;
}

async function runPlugin(agent, [program, ...first], { say, check }) {
  const { install, remove, args, events, files, without, asBefore } = PLUGINS[agent];
  const { home, cwd, bin, work, remove: removePlace } = newPlace("plugin-");
  const calls = join(work, "calls");
  // Records every start of Waymark by the program.
  writeFileSync(
    join(bin, "waymark"),
    `#!/bin/sh\necho "$*" >>'${calls}'\nexec '${process.execPath}' '${join(root, "bin/waymark.js")}' "$@"\n`,
  );
  chmodSync(join(bin, "waymark"), 0o755);
  const model = await startModel(INTERACTIVE[agent].api, TURNS);
  const started = AGENTS[agent]?.start(model.url) ?? INTERACTIVE[agent].start(model.url);
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    WAYMARK_HOME: join(work, "waymark"),
    TERM: "xterm",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    ...started.env,
  };
  const own = (steps) =>
    steps.every(({ args, input = "" }) => {
      const { status, stdout, stderr } = spawnSync(program, [...first, ...args], {
        cwd,
        env,
        input,
        encoding: "utf8",
        timeout: TIMEOUT,
      });
      const line = args.map((word) => word.replace(root, "").replace(/^$/, ".")).join(" ");
      return check(`${agent} ${line}`, status === 0, stderr || stdout);
    });
  try {
    writeFiles(home, files ?? AGENTS[agent]?.files ?? {});
    const before = treeOf(home);
    if (!own(install)) return;
    const run = await runProgram(program, [...first, ...(args ?? started.args)], { cwd, env });
    check("the program runs to its end", run.code === 0, run.stderr || run.stdout);
    const answered = JSON.stringify(model.requests.at(-1) ?? {});
    check(
      "the model is answered with the list",
      /1 \[>\] \S*Read the parser/.test(answered),
      `${model.requests.length} requests\n${model.problems.join("\n")}\n${run.stderr}\n${run.stdout}`,
    );
    const waymark = spawnSync(process.execPath, [join(root, "bin/waymark.js"), "todos", "--json"], {
      cwd,
      env,
      encoding: "utf8",
    });
    const shows = /Read the parser/.test(waymark.stdout) && /Write the fix/.test(waymark.stdout);
    check("waymark todos shows the list", shows, waymark.stderr || waymark.stdout);
    const seen = readFileSync(calls, "utf8");
    const missing = events.filter((event) => !seen.includes(`hook ${agent} ${event}\n`));
    check(`hooks run: ${events.join(", ")}`, missing.length === 0, `missing ${missing}\n${seen}`);
    if (without !== undefined) {
      const offered = JSON.stringify(model.requests[0]?.tools ?? []);
      check(`the model is not offered ${without}`, !offered.includes(`"${without}"`), offered);
    }
    if (!own(remove)) return;
    const now = treeOf(home);
    const restored = (file) => {
      const text = String(now.get(file));
      return asBefore ? asBefore(text) : text;
    };
    const changed = [...before].filter(([file, bytes]) => restored(file) !== String(bytes));
    const seenNow = changed.map(([file]) => `${file} is\n${now.get(file)}`).join("\n");
    check("the user's files are as they were", changed.length === 0, seenNow);
    const traces = [...now.keys()].filter(
      (file) => !before.has(file) && (/waymark/.test(file) || now.get(file).includes("waymark")),
    );
    say(`keeps ${traces.length > 0 ? traces.join(", ") : "nothing"}`);
  } finally {
    model.close();
    removePlace();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((agent) => !(agent in PLUGINS));
  if (unknown.length > 0) {
    console.error(`Unknown agent: ${unknown.join(", ")}. Use ${Object.keys(PLUGINS).join(", ")}.`);
    process.exit(2);
  }
  const passed = await runPlugins(asked.length > 0 ? asked : undefined);
  process.exitCode = passed ? 0 : 1;
}
