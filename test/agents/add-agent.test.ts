import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** The files to write to add an agent. */
const HERON = {
  "identity.ts": `
    import type { Identity } from "../identity.ts";

    export const identity = {
      id: "heron-cli",
      name: "Heron",
      code: "hn",
      basis: "made for this test",
      color: { terminal: { dark: 201, light: 201 }, page: { dark: "#ff99ee", light: "#aa0088" } },
      shortName: "heron",
      command: "heron",
    } satisfies Identity;
  `,
  "decoder.ts": `
    import { decoderOf } from "../table/decoder.ts";
    import { identity } from "./identity.ts";

    export const heron = decoderOf({
      ...identity,
      format: "anthropic",
      tools: ["jot"],
      list: { args: "rows", kind: "items", item: { text: ["what"], status: ["state"] } },
      locations: [
        { base: "home", path: [".heron"], depth: 0, kind: "file", file: /^([\\w-]+)\\.jsonl$/ },
      ],
    });
  `,
  "hooks.ts": `
    import type { AgentHooks } from "../common/hooks/agent.ts";
    import { SESSION_ENDED, TOOL_STARTED, sessionStart, stopped, toolEnded } from "../common/hooks/events.ts";

    export const hooks: AgentHooks = {
      waymarkTool: () => "waymark_todos",
      nativeTool: () => "jot",
      events: {
        Hatch: sessionStart("Hatch"),
        Dive: TOOL_STARTED,
        Surface: toolEnded("Surface", () => ({ output: "ok" })),
        Perch: stopped(() => undefined, "block"),
        Leave: SESSION_ENDED,
      },
      listTools: {},
    };
  `,
  "setup.ts": `
    import type { AgentSetup } from "../common/setup/agent.ts";
    import { hookItems } from "../common/setup/hooks.ts";
    import { identity } from "./identity.ts";

    export const setup: AgentSetup = {
      folder: ({ home, join }) => join(home, ".heron"),
      events: () => ["Hatch", "Dive", "Surface", "Perch", "Leave"],
      files: (context) => [
        {
          format: "json",
          path: context.machine.join(setup.folder(context.machine), "settings.json"),
          items: hookItems(identity.shortName, setup.events(context), context),
        },
      ],
      notes: () => ["Herons are patient."],
    };
  `,
  "index.ts": `
    import type { Agent } from "../agent.ts";
    import { heron as decoder } from "./decoder.ts";
    import { identity } from "./identity.ts";

    export const heron: Agent = { identity, decoder };
  `,
};

const root = mkdtempSync(join(tmpdir(), "waymark-add-agent-"));
const copy = join(root, "copy");
const user = join(root, "user");

beforeAll(() => {
  const names = ["src", "scripts", "bin", "package.json", "tsconfig.json", "LICENSE"];
  for (const name of [...names, "README.md", "docs/reference/agents.md"])
    cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  const folder = join(copy, "src/agents/heron");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(HERON)) writeFileSync(join(folder, name), text);
  const registry = join(copy, "src/agents/index.ts");
  const text = readFileSync(registry, "utf8");
  // The registry needs an import and an entry in the list.
  const added = text.replace("\n  waymark,\n", "\n  waymark,\n  heron,\n");
  expect(added).not.toBe(text);
  writeFileSync(registry, `import { heron } from "./heron/index.ts";\n${added}`);
  const build = spawnSync(process.execPath, ["scripts/build.mjs", "--no-types"], {
    cwd: copy,
    encoding: "utf8",
  });
  expect([build.status, build.stderr]).toEqual([0, ""]);
  mkdirSync(join(user, ".heron"), { recursive: true });
  const records = [
    {
      role: "assistant",
      content: [
        {
          type: "tool_use",
          id: "1",
          name: "jot",
          input: { rows: [{ what: "Catch a fish", state: "doing" }] },
        },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "ok" }] },
  ];
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  writeFileSync(join(user, ".heron/pond-1.jsonl"), lines);
}, 60_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

function run(args: readonly string[], input = "", more: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(copy, "bin/waymark.js"), ...args],
    {
      cwd: root,
      encoding: "utf8",
      input,
      env: {
        PATH: process.env.PATH,
        HOME: user,
        WAYMARK_HOME: join(root, "home"),
        LANG: "C.UTF-8",
        ...more,
      },
    },
  );
  return { status, stdout, stderr };
}

test("ls shows a transcript of the agent", () => {
  const { stdout } = run(["ls"]);
  expect(stdout).toMatch(/^Heron .*pond-1/m);
  expect(JSON.parse(run(["show", "pond-1", "--json"]).stdout)).toMatchObject({
    agentType: "heron-cli",
    todos: [{ text: "Catch a fish" }],
  });
});

test("doctor and setup support the agent", () => {
  expect(run(["doctor"]).stdout).toMatch(/^ +\w+ +Heron/m);
  expect(run(["setup"]).stdout).toContain(
    "heron     Heron        not set up, run: waymark setup heron",
  );
  const { status, stderr } = run(["setup", "heron", "--yes"]);
  expect([status, stderr]).toEqual([0, expect.stringContaining("Herons are patient.")]);
  const settings = readFileSync(join(user, ".heron/settings.json"), "utf8");
  expect(settings).toContain("hook heron Surface");
  expect(run(["setup"]).stdout).toContain("heron     Heron        set up");
});

test("records its hooks and shows its color and code", () => {
  const hook = (event: string, more = {}) =>
    run(["hook", "heron", event], JSON.stringify({ session_id: "nest-1", cwd: root, ...more }));
  expect(hook("Hatch").status).toBe(0);
  run(["tool", "todos", "--session", "nest-1"], '{"todos":[{"text":"Build a nest"}]}');
  expect(hook("Perch").stdout).toContain('"decision":"block"');
  expect(run(["help", "hook"]).stdout).toContain("heron");
  const line = run(["statusline"], '{"session_id":"nest-1"}').stdout;
  expect(line).toContain("\x1b[38;5;201m");
  expect(run(["ls"], "", { COLUMNS: "34" }).stdout).toMatch(/^hn /m);
});

test("generates the style sheet and the event table from its folder", () => {
  const css = readFileSync(join(copy, "dist/web/app.css"), "utf8");
  // Matches one rule, to keep the style sheet out of failure messages.
  expect(css.match(/\.hue-heron\{[^}]*\}/)?.[0]).toMatch(/\.hue-heron\{--agent: ?#aa0088\}/);
  const script = readFileSync(join(copy, "bin/waymark-hook"), "utf8");
  expect(script).toMatch(/^Dive \| .*timing=never ;;$/m);
  expect(script).toMatch(/^Surface \| .*timing=step ;;$/m);
  const table = readFileSync(join(copy, "docs/reference/agents.md"), "utf8");
  expect(table).toContain("| Heron | `heron-cli` |");
});

test("checks that generated files are up to date, folders are listed, and its name occurs nowhere else", () => {
  const check = (script: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(copy, "scripts", script), ...args], { encoding: "utf8" });
  expect(check("agent-data.mjs", "--check").status).toBe(0);
  const script = join(copy, "bin/waymark-hook");
  writeFileSync(script, readFileSync(script, "utf8").replace("Surface | ", ""));
  expect(check("agent-data.mjs", "--check")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("out of date: bin/waymark-hook."),
  });
  const unlisted = join(copy, "src/agents/egret");
  mkdirSync(unlisted);
  writeFileSync(join(unlisted, "identity.ts"), HERON["identity.ts"]);
  expect(check("agent-data.mjs", "--check")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("src/agents/index.ts does not list src/agents/egret"),
  });
  rmSync(unlisted, { recursive: true });
  const planted = join(root, "planted");
  mkdirSync(join(planted, "cli"), { recursive: true });
  writeFileSync(
    join(planted, "cli/planted.ts"),
    'export const heronHooks = 1;\n// Codex\nexport const chance = "reclined";\n',
  );
  const { status, stderr } = check("layers.mjs", planted);
  expect(status).toBe(1);
  expect(stderr.split("\n").filter((line) => line.includes("names the agent"))).toEqual([
    'cli/planted.ts:1: names the agent "heron"; declare a property in src/agents/ instead',
    'cli/planted.ts:2: names the agent "Codex"; declare a property in src/agents/ instead',
  ]);
});
