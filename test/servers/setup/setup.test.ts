import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { parse } from "smol-toml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXTRAS } from "../../../src/agents/common/setup/agent.ts";
import { unifiedDiff } from "../../../src/setup/edit/diff.ts";
import { json } from "../../../src/setup/edit/json-edit.ts";
import { changesOf } from "../../../src/setup/plan.ts";
import { statusOf } from "../../../src/setup/status.ts";
import { needs, ONLY_AS_ROOT } from "../../skipped.ts";
import { AGENTS, type Agent, setupOf } from "./agents.ts";
import { MAIN_FILE, newSandbox } from "./sandbox.ts";

const isToml = (agent: Agent) => MAIN_FILE[agent].endsWith(".toml");

let sandbox: ReturnType<typeof newSandbox>;
beforeEach(() => {
  sandbox = newSandbox();
});
afterEach(() => sandbox.end());

const data = (agent: Agent) => {
  const text = sandbox.read(MAIN_FILE[agent]);
  return isToml(agent) ? parse(text) : json.read(text, agent);
};

/** User configurations in different layouts. */
const JSON_FILES: Readonly<Record<string, string>> = {
  "an empty file": "",
  "an empty object": "{}",
  "an empty object on two lines": "{\n}\n",
  comments:
    '// mine\n{\n  // the model\n  "model": "opus", /* really */\n  "theme": "dark" // at night\n}\n',
  "commas at the end": '{\n  "model": "opus",\n  "list": [\n    1,\n    2,\n  ],\n}\n',
  CRLF: '{\r\n  "model": "opus"\r\n}\r\n',
  tabs: '{\n\t"model": "opus",\n\t"env": {\n\t\t"A": "1"\n\t}\n}',
  "a byte order mark": '\ufeff{\n  "model": "opus"\n}\n',
  "one line": '{"model":"opus","env":{"A":"1"}}',
  "hooks and servers of others": `${JSON.stringify(
    {
      hooks: {
        Stop: [{ matcher: "", hooks: [{ type: "command", command: "say done" }] }],
        PostToolUse: [],
        AfterTool: [{ hooks: [{ type: "command", command: "x" }] }],
      },
      mcpServers: { other: { command: "other" } },
      mcp: { other: { type: "local", command: ["other"] } },
      permissions: { deny: ["TodoWrite", "Bash(rm:*)"], allow: [] },
      tools: { visible: [] },
      permission: { bash: "ask" },
    },
    null,
    4,
  )}\n`,
};

const TOML_FILES: Readonly<Record<string, string>> = {
  "an empty file": "",
  comments: '# mine\nmodel = "gpt-5.5" # really\n\n[tui] # nice\ntheme = "x"\n',
  CRLF: 'model = "gpt-5.5"\r\n[features]\r\nhooks = true\r\n',
  "no newline at the end": 'model = "gpt-5.5"',
  "a byte order mark": '\ufeffmodel = "gpt-5.5"\n',
  "hooks and servers of others":
    '[mcp_servers.other]\ncommand = "other"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n\n[hooks.state."x"]\ntrusted_hash = "sha256:0"\n',
  "its list switched on": "[tools.update_plan]\nenabled = true\n",
  "other tools switched off":
    '[tools]\ndisabled = [ # mine\n  "WebSearch", # no "web"\n  "FetchURL",\n]\n\n[[tools.hooks]]\ncommand = "x"\n',
  "hooks of others in one list":
    '[[hooks]]\nevent = "Stop"\ncommand = "say done"\n\n[[hooks]] # mine\nevent = "PreToolUse"\nmatcher = "Bash"\ncommand = "check"\n',
};

/** Kimi Code has one list for the hooks of all events, Codex a list for each. */
const OTHERS: Readonly<Record<string, string>> = {
  "hooks and servers of others": "kimi",
  "hooks of others in one list": "codex",
};

const CASES = AGENTS.flatMap((agent) =>
  Object.entries(isToml(agent) ? TOML_FILES : JSON_FILES)
    .filter(([name]) => OTHERS[name] !== agent)
    .map(([name, text]) => [agent, name, text] as const),
);

describe.each(CASES)("%s, %s", (agent, _, text) => {
  const file = MAIN_FILE[agent];
  beforeEach(() => sandbox.write(file, text));

  it.each(["waymark", "native"] as const)(
    "%s: is idempotent, and removal restores every byte",
    (mode) => {
      const before = sandbox.everything();
      expect(sandbox.setUp(agent, mode)).toBeGreaterThan(0);
      const after = sandbox.everything();
      expect(sandbox.setUp(agent, mode)).toBe(0);
      expect(sandbox.everything()).toEqual(after);
      expect(sandbox.remove(agent)).toBeGreaterThan(0);
      expect(sandbox.everything()).toEqual(before);
      expect(sandbox.remove(agent)).toBe(0);
      expect(readdirSync(sandbox.home, { recursive: true })).toEqual(["setup"]);
    },
  );

  it("switches between the modes and back", () => {
    const before = sandbox.everything();
    sandbox.setUp(agent, "waymark");
    const first = sandbox.everything();
    sandbox.setUp(agent, "native");
    expect(sandbox.everything()).not.toEqual(first);
    sandbox.setUp(agent, "waymark");
    expect(sandbox.everything()).toEqual(first);
    sandbox.remove(agent);
    expect(sandbox.everything()).toEqual(before);
  });

  it("keeps what the user added since, and removes its own items", () => {
    sandbox.setUp(agent);
    const now = sandbox.read(file);
    const added = isToml(agent) ? `${now}\n[mine]\nx = 1\n` : json.set(now, ["mine"], { x: [1] });
    sandbox.write(file, added);
    expect(sandbox.setUp(agent)).toBe(0);
    sandbox.remove(agent);
    const rest = sandbox.read(file);
    expect(rest).not.toContain("waymark");
    if (isToml(agent)) expect(rest).toContain("[mine]\nx = 1\n");
    else
      expect(rest).toBe(
        json.set(text === "" ? "{}\n" : text.replace("{\n}", "{}"), ["mine"], { x: [1] }),
      );
  });

  it("removes exactly its own items without a receipt", () => {
    sandbox.setUp(agent);
    sandbox.forget();
    sandbox.remove(agent);
    const rest = sandbox.read(file);
    expect(rest).not.toContain("waymark");
    if (!isToml(agent) && !text.includes("TodoWrite"))
      expect(json.read(rest, file)).toEqual(json.read(text, file));
  });
});

describe("in an empty home", () => {
  it.each(AGENTS)("%s: removes the files and directories that it created", (agent) => {
    sandbox.setUp(agent);
    expect(Object.keys(sandbox.everything()).length).toBeGreaterThan(1);
    sandbox.setUp(agent, "native");
    sandbox.setUp(agent);
    sandbox.remove(agent);
    expect(sandbox.everything()).toEqual({});
  });

  it("keeps a created directory that is in use", () => {
    sandbox.setUp("opencode");
    sandbox.write(".config/opencode/plugin/mine.js", "");
    sandbox.remove("opencode");
    expect(Object.keys(sandbox.everything())).toEqual([
      ".config",
      ".config/opencode",
      ".config/opencode/plugin",
      ".config/opencode/plugin/mine.js",
    ]);
  });

  it("ignores keys that the agent writes into a created file", () => {
    for (const [agent, name] of [
      ["qwen", "$version"],
      ["opencode", "$schema"],
    ] as const) {
      sandbox.setUp(agent);
      sandbox.write(MAIN_FILE[agent], json.set(sandbox.read(MAIN_FILE[agent]), [name], "4"));
      sandbox.remove(agent);
    }
    expect(sandbox.everything()).toEqual({});
  });
});

describe("gives the model one list", () => {
  it("Claude Code: denies its tools, and allows and always loads ours", () => {
    sandbox.setUp("claude");
    expect(data("claude")).toMatchObject({
      permissions: {
        allow: ["mcp__waymark"],
        deny: ["TodoWrite", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList"],
      },
      statusLine: { type: "command", command: "waymark statusline" },
    });
    expect(JSON.parse(sandbox.read(".claude.json"))).toEqual({
      mcpServers: {
        waymark: { type: "stdio", command: "waymark", args: ["mcp"], alwaysLoad: true },
      },
    });
    sandbox.setUp("claude", "native");
    expect(data("claude")).toMatchObject({ env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" } });
    expect(data("claude")).not.toHaveProperty("permissions");
    expect(Object.keys(sandbox.everything())).not.toContain(".claude.json");
  });

  it("Codex: disables its plan tool, and enables it again", () => {
    sandbox.write(MAIN_FILE.codex, TOML_FILES["its list switched on"] ?? "");
    sandbox.setUp("codex");
    expect(data("codex")).toMatchObject({
      tools: { update_plan: { enabled: false } },
      mcp_servers: {
        waymark: {
          command: "waymark",
          args: ["mcp"],
          env_vars: ["WAYMARK_HOME", "WAYMARK_STORE"],
          default_tools_approval_mode: "approve",
        },
      },
    });
    sandbox.setUp("codex", "native");
    expect(data("codex")).toMatchObject({ tools: { update_plan: { enabled: true } } });
    expect(data("codex")).not.toHaveProperty("mcp_servers");
  });

  it("Gemini CLI, Qwen Code, opencode", () => {
    for (const agent of ["gemini", "qwen", "opencode"] as const) sandbox.setUp(agent);
    expect(data("gemini")).toMatchObject({ useWriteTodos: false });
    expect(data("qwen")).toMatchObject({
      permissions: { deny: ["todo_write"] },
      tools: { visible: ["mcp__waymark__todos"] },
    });
    expect(data("opencode")).toEqual({
      mcp: { waymark: { type: "local", command: ["waymark", "mcp"], enabled: true } },
      permission: { todowrite: "deny" },
    });
    for (const agent of ["gemini", "qwen"] as const) sandbox.setUp(agent, "native");
    expect(data("gemini")).not.toHaveProperty("useWriteTodos");
    expect(data("qwen")).toMatchObject({ tools: { todoWrite: { enabled: true } } });
  });

  it("Copilot CLI: adds its server, and hooks in a file of their own", () => {
    sandbox.setUp("copilot");
    expect(data("copilot")).toEqual({
      mcpServers: {
        waymark: { type: "local", command: "waymark", args: ["mcp"], tools: ["*"] },
      },
    });
    const hooks = JSON.parse(sandbox.read(".copilot/hooks/waymark.json"));
    expect(hooks.hooks.Stop).toEqual([
      { hooks: [{ type: "command", command: "waymark hook copilot Stop" }] },
    ]);
    sandbox.setUp("copilot", "native");
    expect(Object.keys(sandbox.everything())).not.toContain(".copilot/mcp-config.json");
    expect(sandbox.read(".copilot/hooks/waymark.json")).toContain("--native");
  });

  it("Kimi Code: disables its list tool, and adds its hooks to one list", () => {
    const own = '[tools]\ndisabled = [ # mine\n  "WebSearch",\n]\n';
    sandbox.write(MAIN_FILE.kimi, own);
    sandbox.setUp("kimi");
    expect(data("kimi")).toMatchObject({ tools: { disabled: ["TodoList", "WebSearch"] } });
    const { hooks } = data("kimi") as { hooks: readonly object[] };
    expect(hooks[0]).toEqual({ event: "SessionStart", command: "waymark hook kimi SessionStart" });
    expect(hooks).toHaveLength(10);
    sandbox.write(MAIN_FILE.kimi, `${sandbox.read(MAIN_FILE.kimi)}\n[mine]\nx = 1\n`);
    sandbox.setUp("kimi", "native");
    expect(data("kimi")).toMatchObject({ tools: { disabled: ["WebSearch"] }, mine: { x: 1 } });
    expect((data("kimi") as { hooks: readonly object[] }).hooks).toHaveLength(10);
    sandbox.remove("kimi");
    expect(sandbox.read(MAIN_FILE.kimi)).toBe(`${own}\n[mine]\nx = 1\n`);
  });

  it("Kimi Code: keeps a hook of the user that runs Waymark", () => {
    const own = '[[hooks]]\nevent = "Stop"\ncommand = "waymark hook kimi Stop"\ntimeout = 5\n';
    sandbox.write(MAIN_FILE.kimi, own);
    sandbox.setUp("kimi");
    expect(sandbox.read(MAIN_FILE.kimi).split("hook kimi Stop")).toHaveLength(2);
    sandbox.remove("kimi");
    expect(sandbox.read(MAIN_FILE.kimi)).toBe(own);
  });

  it("oh-my-pi: adds its server, and an extension that turns its list off", () => {
    sandbox.setUp("omp");
    expect(data("omp")).toEqual({
      mcpServers: { waymark: { type: "stdio", command: "waymark", args: ["mcp"] } },
    });
    const extension = ".omp/agent/extensions/waymark.js";
    expect(sandbox.read(extension)).toContain('"Stop": "waymark hook omp Stop"');
    sandbox.setUp("omp", "native");
    expect(sandbox.read(extension)).toContain('"Stop": "waymark hook --native omp Stop"');
  });

  it("OpenClaw: denies its card, and loads and enables a plugin", () => {
    sandbox.setUp("openclaw");
    expect(data("openclaw")).toEqual({
      mcp: { servers: { waymark: { command: "waymark", args: ["mcp"] } } },
      tools: { deny: ["progress_card"] },
      plugins: {
        load: { paths: [sandbox.path(".openclaw/waymark/waymark.js")] },
        entries: { waymark: { enabled: true, hooks: { allowConversationAccess: true } } },
      },
    });
    sandbox.setUp("openclaw", "native");
    expect(data("openclaw")).not.toHaveProperty("mcp");
    expect(data("openclaw")).not.toHaveProperty("tools");
  });

  it("opencode: expands a single permission for all tools", () => {
    sandbox.write(MAIN_FILE.opencode, '{ "permission": "allow" }');
    sandbox.setUp("opencode");
    expect(data("opencode")).toMatchObject({ permission: { "*": "allow", todowrite: "deny" } });
    expect(sandbox.setUp("opencode")).toBe(0);
    sandbox.remove("opencode");
    expect(sandbox.read(MAIN_FILE.opencode)).toBe('{ "permission": "allow" }');
    sandbox.setUp("opencode");
    sandbox.write(MAIN_FILE.opencode, json.set(sandbox.read(MAIN_FILE.opencode), ["mine"], 1));
    sandbox.remove("opencode");
    expect(data("opencode")).toEqual({ permission: "allow", mine: 1 });
    sandbox.setUp("opencode");
    sandbox.forget();
    sandbox.remove("opencode");
    expect(data("opencode")).toEqual({ permission: { "*": "allow" }, mine: 1 });
  });

  it("restores a changed setting, except if the user changed it since", () => {
    sandbox.write(MAIN_FILE.gemini, '{\n  "useWriteTodos": true\n}\n');
    sandbox.setUp("gemini");
    sandbox.write(MAIN_FILE.gemini, json.set(sandbox.read(MAIN_FILE.gemini), ["mine"], 1));
    sandbox.remove("gemini");
    expect(sandbox.read(MAIN_FILE.gemini)).toBe('{\n  "useWriteTodos": true,\n  "mine": 1\n}\n');
    sandbox.setUp("gemini");
    sandbox.write(
      MAIN_FILE.gemini,
      json.set(sandbox.read(MAIN_FILE.gemini), ["useWriteTodos"], true),
    );
    sandbox.remove("gemini");
    expect(data("gemini")).toEqual({ useWriteTodos: true, mine: 1 });
  });

  it("keeps tools denied that were denied before", () => {
    sandbox.write(MAIN_FILE.claude, '{ "permissions": { "deny": ["TodoWrite"] } }');
    sandbox.setUp("claude");
    sandbox.write(MAIN_FILE.claude, json.set(sandbox.read(MAIN_FILE.claude), ["mine"], 1));
    sandbox.remove("claude");
    expect(data("claude")).toEqual({ permissions: { deny: ["TodoWrite"] }, mine: 1 });
  });
});

describe("hooks", () => {
  it("writes only events that the version of Claude Code knows", () => {
    const eventsOf = (version?: string) => {
      sandbox.setUp("claude", "waymark", { version });
      return Object.keys((data("claude") as { hooks: object }).hooks);
    };
    const safe = [
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "PostToolUseFailure",
      "PermissionRequest",
      "Notification",
      "Stop",
      "SubagentStop",
      "PreCompact",
      "SessionEnd",
    ];
    expect(eventsOf().sort()).toEqual([...safe].sort());
    expect(eventsOf("2.0.77").sort()).toEqual([...safe].sort());
    expect(eventsOf("2.1.50").sort()).toEqual([...safe, "TaskCompleted"].sort());
    expect(eventsOf("2.1.325").sort()).toEqual(
      [...safe, "PostCompact", "TaskCreated", "TaskCompleted"].sort(),
    );
    expect(eventsOf("2.0.77").sort()).toEqual([...safe].sort());
  });

  it("writes to the separate hooks file of Codex if that exists", () => {
    sandbox.write(".codex/hooks.json", '{\n  "hooks": {}\n}\n');
    sandbox.setUp("codex");
    expect(sandbox.read(MAIN_FILE.codex)).not.toContain("hooks");
    expect(sandbox.read(".codex/hooks.json")).toContain("waymark hook codex Stop");
    sandbox.remove("codex");
    expect(sandbox.everything()).toEqual({
      ".codex": "folder",
      ".codex/hooks.json": '{\n  "hooks": {}\n}\n',
    });
  });

  it("updates hooks when the program moves, and an entry keeps fields of the user", () => {
    const old = { command: "/old/node", prefixArgs: ["/old/bin/waymark.js"] };
    sandbox.setUp("gemini", "waymark", { program: old });
    const added = sandbox
      .read(MAIN_FILE.gemini)
      .replace('"trust": true', '"trust": true,\n      "env": { "WAYMARK_HOME": "/x" }');
    sandbox.write(MAIN_FILE.gemini, added);
    const plan = sandbox.planned("gemini", "waymark");
    const lines = changesOf(plan).flatMap(({ found, text }) =>
      unifiedDiff(found.path, found.text, text)
        .filter(({ kind }) => kind === "removed" || kind === "added")
        .map(({ text: line }) => line.trim().replace(/\s+/g, " ")),
    );
    expect(lines).toContain('- "command": "/old/node /old/bin/waymark.js hook gemini AfterTool"');
    expect(lines).toContain('+ "command": "waymark hook gemini AfterTool"');
    sandbox.setUp("gemini");
    const server = { command: "waymark", args: ["mcp"], trust: true, env: { WAYMARK_HOME: "/x" } };
    expect(data("gemini")).toMatchObject({ mcpServers: { waymark: server } });
    expect(sandbox.setUp("gemini")).toBe(0);
    sandbox.setUp("gemini", "waymark", { extras: ["plan"] });
    const withPlan = { ...server, args: ["mcp", "--tools", "todos,plan"] };
    expect(data("gemini")).toMatchObject({ mcpServers: { waymark: withPlan } });
    expect(sandbox.removal("gemini").remarks).toEqual([
      `"mcpServers.waymark" in ${sandbox.path(MAIN_FILE.gemini)} was changed since setup wrote it, so it is kept. Delete it if you no longer need it.`,
    ]);
    sandbox.remove("gemini");
    // The user's field is kept.
    expect(data("gemini")).toEqual({ mcpServers: { waymark: withPlan } });
  });

  it("keeps hooks of the user that run Waymark, and adds none for their events", () => {
    const mine = { type: "command", command: "say done" };
    const ours = { type: "command", command: "waymark hook claude Stop", timeout: 5 };
    const text = JSON.stringify({ hooks: { Stop: [{ matcher: "x", hooks: [mine, ours] }] } });
    sandbox.write(MAIN_FILE.claude, text);
    sandbox.setUp("claude");
    expect((data("claude") as { hooks: object }).hooks).toMatchObject({
      Stop: [{ matcher: "x", hooks: [mine, ours] }],
    });
    expect(sandbox.read(MAIN_FILE.claude).split("hook claude Stop")).toHaveLength(2);
    expect(sandbox.planned("claude", "waymark").remarks).toEqual([
      `Your own hooks in ${sandbox.path(MAIN_FILE.claude)} already run Waymark and are kept: Stop (only for x).`,
    ]);
    sandbox.forget();
    sandbox.remove("claude");
    expect(data("claude")).toEqual(JSON.parse(text));
  });

  it("reports hooks of the user whose program is missing", () => {
    const command = "/no/such/node /no/such/bin/waymark.js hook claude Stop";
    const own = [{ hooks: [{ type: "command", command, timeout: 5 }] }];
    sandbox.write(MAIN_FILE.claude, JSON.stringify({ hooks: { Stop: own } }));
    sandbox.setUp("claude");
    expect((data("claude") as { hooks: { Stop: unknown } }).hooks.Stop).toEqual([
      ...own,
      { hooks: [{ type: "command", command: "waymark hook claude Stop" }] },
    ]);
    expect(sandbox.planned("claude", "waymark").remarks).toEqual([
      `Your own hooks in ${sandbox.path(MAIN_FILE.claude)} start a program that does not exist: Stop. Delete them.`,
    ]);
    sandbox.remove("claude");
    expect(data("claude")).toEqual({ hooks: { Stop: own } });
  });

  it("removes its hooks from groups of the user", () => {
    sandbox.setUp("claude");
    const mine = { type: "command", command: "say done" };
    const ours = { type: "command", command: "waymark hook claude Stop" };
    const moved = [{ matcher: "x", hooks: [mine, ours] }];
    sandbox.write(
      MAIN_FILE.claude,
      json.set(sandbox.read(MAIN_FILE.claude), ["hooks", "Stop"], moved),
    );
    expect(sandbox.setUp("claude")).toBe(0);
    sandbox.remove("claude");
    expect(data("claude")).toEqual({ hooks: { Stop: [{ matcher: "x", hooks: [mine] }] } });
  });
});

describe("status line", () => {
  it("keeps and reports the user's status line", () => {
    const own = '{\n  "statusLine": { "type": "command", "command": "mine" }\n}\n';
    sandbox.write(MAIN_FILE.claude, own);
    expect(sandbox.planned("claude", "waymark").remarks).toEqual([
      "Your own status line is kept. To add Waymark's to it, run `waymark statusline` in your status line command.",
    ]);
    sandbox.setUp("claude");
    expect(data("claude")).toMatchObject({ statusLine: { command: "mine" } });
    sandbox.remove("claude");
    expect(sandbox.read(MAIN_FILE.claude)).toBe(own);
  });
});

describe("locations", () => {
  it("respects the environment variables of agents", () => {
    const env = {
      CLAUDE_CONFIG_DIR: sandbox.path("c"),
      CODEX_HOME: sandbox.path("x"),
      XDG_CONFIG_HOME: sandbox.path("xdg"),
      GEMINI_CLI_HOME: sandbox.path("g"),
      QWEN_HOME: sandbox.path("q"),
      COPILOT_HOME: sandbox.path("p"),
      KIMI_CODE_HOME: sandbox.path("k"),
      PI_CODING_AGENT_DIR: sandbox.path("m"),
      OPENCLAW_STATE_DIR: sandbox.path("o"),
      OPENCLAW_CONFIG_PATH: sandbox.path("oc.json"),
    };
    for (const agent of AGENTS)
      sandbox.setUp(agent, "waymark", {
        machine: {
          home: sandbox.user,
          platform: "linux",
          env,
          join: (...parts) => parts.join("/"),
        },
      });
    expect(
      Object.entries(sandbox.everything()).flatMap(([name, text]) =>
        text === "folder" ? [] : [name],
      ),
    ).toEqual([
      "c/.claude.json",
      "c/settings.json",
      "g/.gemini/settings.json",
      "k/config.toml",
      "k/mcp.json",
      "m/extensions/waymark.js",
      "m/mcp.json",
      "o/waymark/waymark.js",
      "oc.json",
      "p/hooks/waymark.json",
      "p/mcp-config.json",
      "q/settings.json",
      "x/config.toml",
      "xdg/kilo/kilo.json",
      "xdg/kilo/plugin/waymark.js",
      "xdg/opencode/opencode.json",
      "xdg/opencode/plugin/waymark.js",
    ]);
  });

  it("writes to the files of a project", () => {
    const project = sandbox.path("project");
    mkdirSync(project);
    const inProjects = AGENTS.filter((agent) => !setupOf(agent).userOnly);
    for (const agent of inProjects) sandbox.setUp(agent, "waymark", { project });
    expect(
      Object.entries(sandbox.everything()).flatMap(([name, text]) =>
        text === "folder" ? [] : [name],
      ),
    ).toEqual([
      "project/.claude/settings.json",
      "project/.codex/config.toml",
      "project/.gemini/settings.json",
      "project/.github/hooks/waymark.json",
      "project/.github/mcp.json",
      "project/.kilo/plugin/waymark.js",
      "project/.mcp.json",
      "project/.omp/extensions/waymark.js",
      "project/.omp/mcp.json",
      "project/.opencode/plugin/waymark.js",
      "project/.qwen/settings.json",
      "project/kilo.json",
      "project/opencode.json",
    ]);
    for (const agent of inProjects) sandbox.remove(agent, { project });
    expect(sandbox.everything()).toEqual({ project: "folder" });
  });

  it("finds a file with comments under its own name", () => {
    sandbox.write(".config/opencode/opencode.jsonc", "{\n  // mine\n}\n");
    sandbox.setUp("opencode");
    expect(sandbox.read(".config/opencode/opencode.jsonc")).toContain("waymark");
    expect(Object.keys(sandbox.everything())).not.toContain(MAIN_FILE.opencode);
  });
});

describe("files", () => {
  it("keeps file modes and follows links", () => {
    sandbox.write("dotfiles/settings.json", "{}\n");
    chmodSync(sandbox.path("dotfiles/settings.json"), 0o640);
    mkdirSync(sandbox.path(".gemini"));
    symlinkSync("../dotfiles/settings.json", sandbox.path(MAIN_FILE.gemini));
    sandbox.setUp("gemini");
    expect(lstatSync(sandbox.path(MAIN_FILE.gemini)).isSymbolicLink()).toBe(true);
    expect(statSync(sandbox.path("dotfiles/settings.json")).mode & 0o777).toBe(0o640);
    expect(sandbox.read("dotfiles/settings.json")).toContain("waymark");
    expect(readdirSync(sandbox.path("dotfiles"))).toEqual(["settings.json"]);
    sandbox.remove("gemini");
    expect(sandbox.read("dotfiles/settings.json")).toBe("{}\n");
  });

  it.each<[string, () => void, RegExp]>([
    [
      "read-only",
      () => {
        sandbox.write(MAIN_FILE.gemini, "{}");
        chmodSync(sandbox.path(MAIN_FILE.gemini), 0o444);
      },
      /settings\.json is read-only\. Nothing was written\. Make it writable/,
    ],
    [
      "a broken link",
      () => {
        mkdirSync(sandbox.path(".gemini"));
        symlinkSync("gone.json", sandbox.path(MAIN_FILE.gemini));
      },
      /settings\.json is a broken link .+ Nothing was written\. Fix or delete the link/,
    ],
    [
      "a folder",
      () => mkdirSync(sandbox.path(MAIN_FILE.gemini), { recursive: true }),
      /settings\.json is not a regular file\. Nothing was written\./,
    ],
    [
      "not UTF-8",
      () => {
        sandbox.write(MAIN_FILE.gemini, "");
        sandbox.writeBytes(MAIN_FILE.gemini, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
      },
      /settings\.json is not UTF-8\. Nothing was written\./,
    ],
    [
      "broken",
      () => sandbox.write(MAIN_FILE.gemini, '{\n  "a": \n}'),
      /settings\.json:3 is not valid JSON/,
    ],
    [
      "of another shape",
      () => sandbox.write(MAIN_FILE.gemini, '{ "hooks": ["x"] }'),
      /"hooks" in .+settings\.json is not an object\. Nothing was written/,
    ],
    [
      "with a hook list of another shape",
      () => sandbox.write(MAIN_FILE.gemini, '{ "hooks": { "AfterTool": "x" } }'),
      /"hooks\.AfterTool" in .+settings\.json is not a list\. Nothing was written/,
    ],
  ])("refuses a file that is %s, and writes nothing", (_, prepare, message) => {
    prepare();
    const look = () => lstatSync(sandbox.path(MAIN_FILE.gemini)).mtimeMs;
    const before = look();
    expect(() => sandbox.setUp("gemini")).toThrow(message);
    expect(look()).toBe(before);
    expect(readdirSync(sandbox.path(".gemini"))).toEqual(["settings.json"]);
  });

  it("refuses a TOML file that cannot be edited safely", () => {
    sandbox.write(MAIN_FILE.codex, 'mcp_servers = { other = { command = "x" } }\n');
    expect(() => sandbox.setUp("codex")).toThrow(
      /config\.toml:\d+ is not valid TOML|config\.toml cannot be edited safely/,
    );
    expect(sandbox.read(MAIN_FILE.codex)).toBe('mcp_servers = { other = { command = "x" } }\n');
  });

  it("does not overwrite a plugin that it did not write", () => {
    sandbox.write(".config/opencode/plugin/waymark.js", "mine");
    expect(() => sandbox.setUp("opencode")).toThrow(
      /waymark\.js exists, but Waymark did not write it/,
    );
    expect(sandbox.everything()).toMatchObject({ ".config/opencode/plugin/waymark.js": "mine" });
    expect(sandbox.remove("opencode")).toBe(0);
  });
});

describe("tasks and plans", () => {
  it.each(AGENTS)("%s: adds their tools on request, and reports the agent as set up", (agent) => {
    const before = sandbox.everything();
    sandbox.setUp(agent, "waymark", { extras: ["tasks", "plan"] });
    const texts = Object.values(sandbox.everything()).join("\n");
    expect(texts).toMatch(/"mcp",\s*"--tools",\s*"todos,tasks,plan"/);
    const { machine, program } = sandbox.request("waymark");
    const surroundings = { machine, program, path: "", home: sandbox.home };
    expect(statusOf(setupOf(agent), surroundings).setUp).toBe("waymark");
    // A setup without them removes them.
    sandbox.setUp(agent);
    expect(Object.values(sandbox.everything()).join("\n")).not.toContain("--tools");
    expect(statusOf(setupOf(agent), surroundings).setUp).toBe("waymark");
    sandbox.remove(agent, { extras: EXTRAS });
    expect(sandbox.everything()).toEqual(before);
  });
});

describe("receipt of a file that was replaced", () => {
  const file = MAIN_FILE.gemini;
  const OTHER = '{ "useWriteTodos": false, "theme": "mine" }\n';
  beforeEach(() => {
    sandbox.write(file, '{ "useWriteTodos": true }\n');
    sandbox.setUp("gemini");
  });

  it("does not change the new file", () => {
    sandbox.write(file, OTHER);
    expect(sandbox.remove("gemini")).toBe(0);
    expect(sandbox.read(file)).toBe(OTHER);
    expect(readdirSync(sandbox.home, { recursive: true })).toEqual(["setup"]);
  });

  it("is discarded when the new file is set up", () => {
    sandbox.write(file, OTHER);
    sandbox.setUp("gemini");
    sandbox.write(file, json.set(sandbox.read(file), ["more"], 1));
    sandbox.remove("gemini");
    expect(json.read(sandbox.read(file), file)).toEqual({
      useWriteTodos: false,
      theme: "mine",
      more: 1,
    });
  });

  it("restores settings of a file without entries or hooks of setup", () => {
    const config = MAIN_FILE.codex;
    sandbox.write(".codex/hooks.json", "{}");
    sandbox.write(config, "[tools.update_plan]\nenabled = false\n");
    sandbox.setUp("codex", "native");
    sandbox.write(config, `${sandbox.read(config)}\n[mine]\nx = 1\n`);
    sandbox.remove("codex");
    expect(sandbox.read(config)).toBe("[tools.update_plan]\nenabled = false\n\n[mine]\nx = 1\n");
  });
});

it("Codex: refuses inline tables with an explanation", () => {
  const text = 'model = "x"\nmcp_servers = { x = { command = "a" } }\n';
  sandbox.write(MAIN_FILE.codex, text);
  expect(() => sandbox.setUp("codex")).toThrow(
    /config\.toml cannot be edited safely\. Nothing was written\. Rewrite its inline tables/,
  );
  sandbox.write(MAIN_FILE.codex, `${text}broken\n`);
  expect(() => sandbox.setUp("codex")).toThrow(/config\.toml:3 is not valid TOML/);
});

// Only root may change the group of a file to any group.
it("keeps the group of a file, as root", needs(ONLY_AS_ROOT), () => {
  const file = sandbox.path(MAIN_FILE.gemini);
  sandbox.write(MAIN_FILE.gemini, "{}");
  chownSync(file, 0, 12_345);
  chmodSync(file, 0o640);
  const group = () => {
    const { gid, mode } = statSync(file);
    return [gid, mode & 0o777];
  };
  sandbox.setUp("gemini");
  expect(group()).toEqual([12_345, 0o640]);
  sandbox.remove("gemini");
  expect(group()).toEqual([12_345, 0o640]);
});
