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
import { difference } from "../../../src/setup/edit/difference.ts";
import { json } from "../../../src/setup/edit/json-edit.ts";
import { changesOf } from "../../../src/setup/plan.ts";
import { statusOf } from "../../../src/setup/status.ts";
import { needs, ONLY_AS_ROOT } from "../../skipped.ts";
import { AGENTS, type Agent, setupOf } from "./agents.ts";
import { MAIN_FILE, newPlace } from "./place.ts";

let place: ReturnType<typeof newPlace>;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.end());

const data = (agent: Agent) => {
  const text = place.read(MAIN_FILE[agent]);
  return agent === "codex" ? parse(text) : json.read(text, agent);
};

/** Configurations of people, by what is particular about them. */
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
};

const CASES = AGENTS.flatMap((agent) =>
  Object.entries(agent === "codex" ? TOML_FILES : JSON_FILES).map(
    ([name, text]) => [agent, name, text] as const,
  ),
);

describe.each(CASES)("%s, %s", (agent, _, text) => {
  const file = MAIN_FILE[agent];
  beforeEach(() => place.write(file, text));

  it.each(["waymark", "native"] as const)("%s: twice is once, and removal is exact", (mode) => {
    const before = place.everything();
    expect(place.setUp(agent, mode)).toBeGreaterThan(0);
    const after = place.everything();
    expect(place.setUp(agent, mode)).toBe(0);
    expect(place.everything()).toEqual(after);
    expect(place.remove(agent)).toBeGreaterThan(0);
    expect(place.everything()).toEqual(before);
    expect(place.remove(agent)).toBe(0);
    expect(readdirSync(place.home, { recursive: true })).toEqual(["setup"]);
  });

  it("from one way to the other and back", () => {
    const before = place.everything();
    place.setUp(agent, "waymark");
    const first = place.everything();
    place.setUp(agent, "native");
    expect(place.everything()).not.toEqual(first);
    place.setUp(agent, "waymark");
    expect(place.everything()).toEqual(first);
    place.remove(agent);
    expect(place.everything()).toEqual(before);
  });

  it("what a person adds meanwhile stays, and ours goes", () => {
    place.setUp(agent);
    const now = place.read(file);
    const added =
      agent === "codex" ? `${now}\n[mine]\nx = 1\n` : json.set(now, ["mine"], { x: [1] });
    place.write(file, added);
    expect(place.setUp(agent)).toBe(0);
    place.remove(agent);
    const rest = place.read(file);
    expect(rest).not.toContain("waymark");
    if (agent === "codex") expect(rest).toContain("[mine]\nx = 1\n");
    else
      expect(rest).toBe(
        json.set(text === "" ? "{}\n" : text.replace("{\n}", "{}"), ["mine"], { x: [1] }),
      );
  });

  it("without what was remembered, all that is ours goes and nothing else", () => {
    place.setUp(agent);
    place.forget();
    place.remove(agent);
    const rest = place.read(file);
    expect(rest).not.toContain("waymark");
    if (agent !== "codex" && !text.includes("TodoWrite"))
      expect(json.read(rest, file)).toEqual(json.read(text, file));
  });
});

describe("an empty home", () => {
  it.each(AGENTS)("%s: what setup makes is gone after it, folders too", (agent) => {
    place.setUp(agent);
    expect(Object.keys(place.everything()).length).toBeGreaterThan(1);
    place.setUp(agent, "native");
    place.setUp(agent);
    place.remove(agent);
    expect(place.everything()).toEqual({});
  });

  it("a folder that somebody uses meanwhile stays", () => {
    place.setUp("opencode");
    place.write(".config/opencode/plugin/mine.js", "");
    place.remove("opencode");
    expect(Object.keys(place.everything())).toEqual([
      ".config",
      ".config/opencode",
      ".config/opencode/plugin",
      ".config/opencode/plugin/mine.js",
    ]);
  });

  it("what the agent itself writes into a file that setup made is nobody's", () => {
    for (const [agent, name] of [
      ["qwen", "$version"],
      ["opencode", "$schema"],
    ] as const) {
      place.setUp(agent);
      place.write(MAIN_FILE[agent], json.set(place.read(MAIN_FILE[agent]), [name], "4"));
      place.remove(agent);
    }
    expect(place.everything()).toEqual({});
  });
});

describe("one list and not two", () => {
  it("Claude Code: its tools are denied, ours is allowed and always there", () => {
    place.setUp("claude");
    expect(data("claude")).toMatchObject({
      permissions: {
        allow: ["mcp__waymark"],
        deny: ["TodoWrite", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList"],
      },
      statusLine: { type: "command", command: "waymark statusline" },
    });
    expect(JSON.parse(place.read(".claude.json"))).toEqual({
      mcpServers: {
        waymark: { type: "stdio", command: "waymark", args: ["mcp"], alwaysLoad: true },
      },
    });
    place.setUp("claude", "native");
    expect(data("claude")).toMatchObject({ env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" } });
    expect(data("claude")).not.toHaveProperty("permissions");
    expect(Object.keys(place.everything())).not.toContain(".claude.json");
  });

  it("Codex: switched off where it was on, and on again", () => {
    place.write(MAIN_FILE.codex, TOML_FILES["its list switched on"] ?? "");
    place.setUp("codex");
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
    place.setUp("codex", "native");
    expect(data("codex")).toMatchObject({ tools: { update_plan: { enabled: true } } });
    expect(data("codex")).not.toHaveProperty("mcp_servers");
  });

  it("Gemini CLI, Qwen Code, opencode", () => {
    for (const agent of ["gemini", "qwen", "opencode"] as const) place.setUp(agent);
    expect(data("gemini")).toMatchObject({ useWriteTodos: false });
    expect(data("qwen")).toMatchObject({
      permissions: { deny: ["todo_write"] },
      tools: { visible: ["mcp__waymark__todos"] },
    });
    expect(data("opencode")).toEqual({
      mcp: { waymark: { type: "local", command: ["waymark", "mcp"], enabled: true } },
      permission: { todowrite: "deny" },
    });
    for (const agent of ["gemini", "qwen"] as const) place.setUp(agent, "native");
    expect(data("gemini")).not.toHaveProperty("useWriteTodos");
    expect(data("qwen")).toMatchObject({ tools: { todoWrite: { enabled: true } } });
  });

  it("opencode with one word for every permission", () => {
    place.write(MAIN_FILE.opencode, '{ "permission": "allow" }');
    place.setUp("opencode");
    expect(data("opencode")).toMatchObject({ permission: { "*": "allow", todowrite: "deny" } });
    expect(place.setUp("opencode")).toBe(0);
    place.remove("opencode");
    expect(place.read(MAIN_FILE.opencode)).toBe('{ "permission": "allow" }');
    place.setUp("opencode");
    place.write(MAIN_FILE.opencode, json.set(place.read(MAIN_FILE.opencode), ["mine"], 1));
    place.remove("opencode");
    expect(data("opencode")).toEqual({ permission: "allow", mine: 1 });
    place.setUp("opencode");
    place.forget();
    place.remove("opencode");
    expect(data("opencode")).toEqual({ permission: { "*": "allow" }, mine: 1 });
  });

  it("a setting that was the other way is put back, and one that a person changed since is left", () => {
    place.write(MAIN_FILE.gemini, '{\n  "useWriteTodos": true\n}\n');
    place.setUp("gemini");
    place.write(MAIN_FILE.gemini, json.set(place.read(MAIN_FILE.gemini), ["mine"], 1));
    place.remove("gemini");
    expect(place.read(MAIN_FILE.gemini)).toBe('{\n  "useWriteTodos": true,\n  "mine": 1\n}\n');
    place.setUp("gemini");
    place.write(MAIN_FILE.gemini, json.set(place.read(MAIN_FILE.gemini), ["useWriteTodos"], true));
    place.remove("gemini");
    expect(data("gemini")).toEqual({ useWriteTodos: true, mine: 1 });
  });

  it("what was denied before stays denied", () => {
    place.write(MAIN_FILE.claude, '{ "permissions": { "deny": ["TodoWrite"] } }');
    place.setUp("claude");
    place.write(MAIN_FILE.claude, json.set(place.read(MAIN_FILE.claude), ["mine"], 1));
    place.remove("claude");
    expect(data("claude")).toEqual({ permissions: { deny: ["TodoWrite"] }, mine: 1 });
  });
});

describe("hooks", () => {
  it("Claude Code is given only events that its version knows", () => {
    const eventsOf = (version?: string) => {
      place.setUp("claude", "waymark", { version });
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

  it("a Codex that keeps its hooks in a file of their own gets ours there", () => {
    place.write(".codex/hooks.json", '{\n  "hooks": {}\n}\n');
    place.setUp("codex");
    expect(place.read(MAIN_FILE.codex)).not.toContain("hooks");
    expect(place.read(".codex/hooks.json")).toContain("waymark hook codex Stop");
    place.remove("codex");
    expect(place.everything()).toEqual({
      ".codex": "folder",
      ".codex/hooks.json": '{\n  "hooks": {}\n}\n',
    });
  });

  it("follow the program, and an entry keeps fields of the user", () => {
    const old = { command: "/old/node", before: ["/old/bin/waymark.js"] };
    place.setUp("gemini", "waymark", { program: old });
    const added = place
      .read(MAIN_FILE.gemini)
      .replace('"trust": true', '"trust": true,\n      "env": { "WAYMARK_HOME": "/x" }');
    place.write(MAIN_FILE.gemini, added);
    const plan = place.planned("gemini", "waymark");
    const lines = changesOf(plan).flatMap(({ found, text }) =>
      difference(found.path, found.text, text)
        .filter(({ kind }) => kind === "gone" || kind === "new")
        .map(({ text: line }) => line.trim().replace(/\s+/g, " ")),
    );
    expect(lines).toContain('- "command": "/old/node /old/bin/waymark.js hook gemini AfterTool"');
    expect(lines).toContain('+ "command": "waymark hook gemini AfterTool"');
    place.setUp("gemini");
    const server = { command: "waymark", args: ["mcp"], trust: true, env: { WAYMARK_HOME: "/x" } };
    expect(data("gemini")).toMatchObject({ mcpServers: { waymark: server } });
    expect(place.setUp("gemini")).toBe(0);
    place.setUp("gemini", "waymark", { extras: ["plan"] });
    const withPlan = { ...server, args: ["mcp", "--tools", "todos,plan"] };
    expect(data("gemini")).toMatchObject({ mcpServers: { waymark: withPlan } });
    expect(place.removal("gemini").remarks).toEqual([
      `"mcpServers.waymark" in ${place.path(MAIN_FILE.gemini)} was changed since setup wrote it and stays. Delete it yourself if you do not need it.`,
    ]);
    place.remove("gemini");
    // The field of the user is not lost.
    expect(data("gemini")).toEqual({ mcpServers: { waymark: withPlan } });
  });

  it("of the user that run Waymark count, and stay", () => {
    const mine = { type: "command", command: "say done" };
    const ours = { type: "command", command: "waymark hook claude Stop", timeout: 5 };
    const text = JSON.stringify({ hooks: { Stop: [{ matcher: "x", hooks: [mine, ours] }] } });
    place.write(MAIN_FILE.claude, text);
    place.setUp("claude");
    expect((data("claude") as { hooks: object }).hooks).toMatchObject({
      Stop: [{ matcher: "x", hooks: [mine, ours] }],
    });
    expect(place.read(MAIN_FILE.claude).split("hook claude Stop")).toHaveLength(2);
    expect(place.planned("claude", "waymark").remarks).toEqual([
      `Hooks of your own in ${place.path(MAIN_FILE.claude)} run Waymark and stay: Stop (only for x).`,
    ]);
    place.forget();
    place.remove("claude");
    expect(data("claude")).toEqual(JSON.parse(text));
  });

  it("of the user whose program is missing are left alone, and reported", () => {
    const command = "/no/such/node /no/such/bin/waymark.js hook claude Stop";
    const own = [{ hooks: [{ type: "command", command, timeout: 5 }] }];
    place.write(MAIN_FILE.claude, JSON.stringify({ hooks: { Stop: own } }));
    place.setUp("claude");
    expect((data("claude") as { hooks: { Stop: unknown } }).hooks.Stop).toEqual([
      ...own,
      { hooks: [{ type: "command", command: "waymark hook claude Stop" }] },
    ]);
    expect(place.planned("claude", "waymark").remarks).toEqual([
      `Hooks of your own in ${place.path(MAIN_FILE.claude)} start a program that does not exist: Stop. Delete them.`,
    ]);
    place.remove("claude");
    expect(data("claude")).toEqual({ hooks: { Stop: own } });
  });

  it("of setup that were moved among the user's own are taken out of them", () => {
    place.setUp("claude");
    const mine = { type: "command", command: "say done" };
    const ours = { type: "command", command: "waymark hook claude Stop" };
    const moved = [{ matcher: "x", hooks: [mine, ours] }];
    place.write(MAIN_FILE.claude, json.set(place.read(MAIN_FILE.claude), ["hooks", "Stop"], moved));
    expect(place.setUp("claude")).toBe(0);
    place.remove("claude");
    expect(data("claude")).toEqual({ hooks: { Stop: [{ matcher: "x", hooks: [mine] }] } });
  });
});

describe("the status line", () => {
  it("of the user stays, and is spoken of", () => {
    const own = '{\n  "statusLine": { "type": "command", "command": "mine" }\n}\n';
    place.write(MAIN_FILE.claude, own);
    expect(place.planned("claude", "waymark").remarks).toEqual([
      "You have a status line of your own; it stays. `waymark statusline` prints ours for it.",
    ]);
    place.setUp("claude");
    expect(data("claude")).toMatchObject({ statusLine: { command: "mine" } });
    place.remove("claude");
    expect(place.read(MAIN_FILE.claude)).toBe(own);
  });
});

describe("places", () => {
  it("of the environment are kept to", () => {
    const env = {
      CLAUDE_CONFIG_DIR: place.path("c"),
      CODEX_HOME: place.path("x"),
      XDG_CONFIG_HOME: place.path("xdg"),
      GEMINI_CLI_HOME: place.path("g"),
      QWEN_HOME: place.path("q"),
    };
    for (const agent of AGENTS)
      place.setUp(agent, "waymark", {
        machine: { home: place.user, platform: "linux", env, join: (...parts) => parts.join("/") },
      });
    expect(
      Object.entries(place.everything()).flatMap(([name, text]) =>
        text === "folder" ? [] : [name],
      ),
    ).toEqual([
      "c/.claude.json",
      "c/settings.json",
      "g/.gemini/settings.json",
      "q/settings.json",
      "x/config.toml",
      "xdg/opencode/opencode.json",
      "xdg/opencode/plugin/waymark.js",
    ]);
  });

  it("of a project are its own", () => {
    const project = place.path("project");
    mkdirSync(project);
    for (const agent of AGENTS) place.setUp(agent, "waymark", { project });
    expect(
      Object.entries(place.everything()).flatMap(([name, text]) =>
        text === "folder" ? [] : [name],
      ),
    ).toEqual([
      "project/.claude/settings.json",
      "project/.codex/config.toml",
      "project/.gemini/settings.json",
      "project/.mcp.json",
      "project/.opencode/plugin/waymark.js",
      "project/.qwen/settings.json",
      "project/opencode.json",
    ]);
    for (const agent of AGENTS) place.remove(agent, { project });
    expect(place.everything()).toEqual({ project: "folder" });
  });

  it("a file with remarks is found where it is", () => {
    place.write(".config/opencode/opencode.jsonc", "{\n  // mine\n}\n");
    place.setUp("opencode");
    expect(place.read(".config/opencode/opencode.jsonc")).toContain("waymark");
    expect(Object.keys(place.everything())).not.toContain(MAIN_FILE.opencode);
  });
});

describe("files", () => {
  it("keep their mode, and a link leads to the file that is changed", () => {
    place.write("dotfiles/settings.json", "{}\n");
    chmodSync(place.path("dotfiles/settings.json"), 0o640);
    mkdirSync(place.path(".gemini"));
    symlinkSync("../dotfiles/settings.json", place.path(MAIN_FILE.gemini));
    place.setUp("gemini");
    expect(lstatSync(place.path(MAIN_FILE.gemini)).isSymbolicLink()).toBe(true);
    expect(statSync(place.path("dotfiles/settings.json")).mode & 0o777).toBe(0o640);
    expect(place.read("dotfiles/settings.json")).toContain("waymark");
    expect(readdirSync(place.path("dotfiles"))).toEqual(["settings.json"]);
    place.remove("gemini");
    expect(place.read("dotfiles/settings.json")).toBe("{}\n");
  });

  it.each<[string, () => void, RegExp]>([
    [
      "read-only",
      () => {
        place.write(MAIN_FILE.gemini, "{}");
        chmodSync(place.path(MAIN_FILE.gemini), 0o444);
      },
      /settings\.json is read-only\. Nothing was written\. Make it writable/,
    ],
    [
      "a link that leads nowhere",
      () => {
        mkdirSync(place.path(".gemini"));
        symlinkSync("gone.json", place.path(MAIN_FILE.gemini));
      },
      /settings\.json is a link that leads nowhere .+ Nothing was written\. Mend the link\./,
    ],
    [
      "a folder",
      () => mkdirSync(place.path(MAIN_FILE.gemini), { recursive: true }),
      /settings\.json is no file\. Nothing was written\./,
    ],
    [
      "not UTF-8",
      () => {
        place.write(MAIN_FILE.gemini, "");
        place.writeBytes(MAIN_FILE.gemini, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
      },
      /settings\.json is not UTF-8\. Nothing was written\./,
    ],
    [
      "broken",
      () => place.write(MAIN_FILE.gemini, '{\n  "a": \n}'),
      /settings\.json, line 3, is not valid JSON/,
    ],
    [
      "of another shape",
      () => place.write(MAIN_FILE.gemini, '{ "hooks": ["x"] }'),
      /"hooks" in .+settings\.json is no object, so nothing can be put into it\. Nothing was written/,
    ],
    [
      "with a hook list of another shape",
      () => place.write(MAIN_FILE.gemini, '{ "hooks": { "AfterTool": "x" } }'),
      /"hooks\.AfterTool" in .+settings\.json is no list\. Nothing was written/,
    ],
  ])("one that is %s is refused, and nothing is written", (_, prepare, message) => {
    prepare();
    const look = () => lstatSync(place.path(MAIN_FILE.gemini)).mtimeMs;
    const before = look();
    expect(() => place.setUp("gemini")).toThrow(message);
    expect(look()).toBe(before);
    expect(readdirSync(place.path(".gemini"))).toEqual(["settings.json"]);
  });

  it("a TOML file that cannot be added to is refused", () => {
    place.write(MAIN_FILE.codex, 'mcp_servers = { other = { command = "x" } }\n');
    expect(() => place.setUp("codex")).toThrow(
      /config\.toml, line \d+, is not valid TOML|config\.toml is written in a way that/,
    );
    expect(place.read(MAIN_FILE.codex)).toBe('mcp_servers = { other = { command = "x" } }\n');
  });

  it("a plugin of somebody else's is not overwritten", () => {
    place.write(".config/opencode/plugin/waymark.js", "mine");
    expect(() => place.setUp("opencode")).toThrow(
      /waymark\.js is there and was not written by Waymark/,
    );
    expect(place.everything()).toMatchObject({ ".config/opencode/plugin/waymark.js": "mine" });
    expect(place.remove("opencode")).toBe(0);
  });
});

describe("the team's tasks and plans", () => {
  it.each(AGENTS)("%s is given them if that is asked for, and knows to be set up", (agent) => {
    const before = place.everything();
    place.setUp(agent, "waymark", { extras: ["tasks", "plan"] });
    const texts = Object.values(place.everything()).join("\n");
    expect(texts).toMatch(/"mcp",\s*"--tools",\s*"todos,tasks,plan"/);
    const { machine, program } = place.occasion("waymark");
    const surroundings = { machine, program, path: "", home: place.home };
    expect(statusOf(setupOf(agent), surroundings).setUp).toBe("waymark");
    // Asked for again without them, they are gone.
    place.setUp(agent);
    expect(Object.values(place.everything()).join("\n")).not.toContain("--tools");
    expect(statusOf(setupOf(agent), surroundings).setUp).toBe("waymark");
    place.remove(agent, { extras: EXTRAS });
    expect(place.everything()).toEqual(before);
  });
});

describe("what is remembered of a file that is not ours any more", () => {
  const file = MAIN_FILE.gemini;
  const OTHER = '{ "useWriteTodos": false, "theme": "mine" }\n';
  beforeEach(() => {
    place.write(file, '{ "useWriteTodos": true }\n');
    place.setUp("gemini");
  });

  it("changes nothing in the one that stands in its place", () => {
    place.write(file, OTHER);
    expect(place.remove("gemini")).toBe(0);
    expect(place.read(file)).toBe(OTHER);
    expect(readdirSync(place.home, { recursive: true })).toEqual(["setup"]);
  });

  it("is not remembered when that one is set up", () => {
    place.write(file, OTHER);
    place.setUp("gemini");
    place.write(file, json.set(place.read(file), ["more"], 1));
    place.remove("gemini");
    expect(json.read(place.read(file), file)).toEqual({
      useWriteTodos: false,
      theme: "mine",
      more: 1,
    });
  });

  it("but a file that never showed that we were there gets its setting back", () => {
    const config = MAIN_FILE.codex;
    place.write(".codex/hooks.json", "{}");
    place.write(config, "[tools.update_plan]\nenabled = false\n");
    place.setUp("codex", "native");
    place.write(config, `${place.read(config)}\n[mine]\nx = 1\n`);
    place.remove("codex");
    expect(place.read(config)).toBe("[tools.update_plan]\nenabled = false\n\n[mine]\nx = 1\n");
  });
});

it("Codex: a table on one line cannot be added to, and that is what is said", () => {
  const text = 'model = "x"\nmcp_servers = { x = { command = "a" } }\n';
  place.write(MAIN_FILE.codex, text);
  expect(() => place.setUp("codex")).toThrow(
    /config\.toml is written in a way that Waymark cannot add to without harm\. Nothing was written\. Rewrite inline tables there/,
  );
  place.write(MAIN_FILE.codex, `${text}broken\n`);
  expect(() => place.setUp("codex")).toThrow(/config\.toml, line 3, is not valid TOML/);
});

// Others may give a file only to groups that they are in themselves.
it("the group of a file stays, there and back, as root", needs(ONLY_AS_ROOT), () => {
  const file = place.path(MAIN_FILE.gemini);
  place.write(MAIN_FILE.gemini, "{}");
  chownSync(file, 0, 12_345);
  chmodSync(file, 0o640);
  const group = () => {
    const { gid, mode } = statSync(file);
    return [gid, mode & 0o777];
  };
  place.setUp("gemini");
  expect(group()).toEqual([12_345, 0o640]);
  place.remove("gemini");
  expect(group()).toEqual([12_345, 0o640]);
});
