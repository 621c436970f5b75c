import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { editsBetween } from "../../../src/setup/edit/diff.ts";
import { isObject, type Value, valueAt } from "../../../src/setup/edit/document.ts";
import { json } from "../../../src/setup/edit/json-edit.ts";
import { toml } from "../../../src/setup/edit/toml-edit.ts";
import { isApplied } from "../../../src/setup/plan.ts";
import { hashOf } from "../../../src/setup/receipt.ts";
import { hookCall, serverKind } from "../../../src/setup/recognize.ts";
import { sized } from "../../full.ts";
import { AGENTS, type Agent, hasOneCommand, hasPlugin, setupOf } from "./agents.ts";
import { jsonText, tomlText } from "./configs.ts";
import { MAIN_FILE, newSandbox } from "./sandbox.ts";
import { type OwnFiles, ownFiles } from "./user-configs.ts";

const RUNS = sized(15, 1_000);

/** Includes the programs of generated entries and hooks. */
const exists = (name: string) => /^\/(?:opt|usr|srv)\//.test(name) || existsSync(name);

const OLD = { command: "/old/node", prefixArgs: ["/old/bin/waymark.js"] };

type Place = ReturnType<typeof newSandbox>;

const SERVERS: Readonly<Record<Agent, readonly [file: string, ...path: string[]]>> = {
  claude: [".claude.json", "mcpServers"],
  codex: [MAIN_FILE.codex, "mcp_servers"],
  copilot: [MAIN_FILE.copilot, "mcpServers"],
  gemini: [MAIN_FILE.gemini, "mcpServers"],
  opencode: [MAIN_FILE.opencode, "mcp"],
  kilo: [MAIN_FILE.kilo, "mcp"],
  qwen: [MAIN_FILE.qwen, "mcpServers"],
  kimi: [".kimi-code/mcp.json", "mcpServers"],
  omp: [MAIN_FILE.omp, "mcpServers"],
  openclaw: [MAIN_FILE.openclaw, "mcp", "servers"],
};

const formatOf = (file: string) => (file.endsWith(".toml") ? toml : json);
const dataOf = (sandbox: Place, file: string) => formatOf(file).read(sandbox.read(file), file);

function contents(sandbox: Place, { texts }: OwnFiles): Record<string, Value> {
  return Object.fromEntries(Object.keys(texts).map((file) => [file, dataOf(sandbox, file)]));
}

/** Whether every value of `was` is at the same path in `now`; lists may have grown. */
function holds(now: Value | undefined, was: Value): boolean {
  if (Array.isArray(was))
    return Array.isArray(now) && was.every((each) => now.some((other) => same(other, each)));
  if (isObject(was))
    return isObject(now) && Object.entries(was).every(([name, each]) => holds(now[name], each));
  return now === was;
}

const same = (a: Value, b: Value) => JSON.stringify(a) === JSON.stringify(b);

const HOOKS: Readonly<Record<Agent, string>> = {
  ...MAIN_FILE,
  copilot: ".copilot/hooks/waymark.json",
};

/** How many hooks run Waymark at an event. */
function running(sandbox: Place, agent: Agent, event: string): number {
  const path = agent === "kimi" ? ["hooks"] : ["hooks", event];
  const groups = valueAt(dataOf(sandbox, HOOKS[agent]), path);
  const hooks = (Array.isArray(groups) ? groups : []).flatMap((group: Value) =>
    isObject(group) && Array.isArray(group.hooks) ? group.hooks : [group],
  );
  return hooks.filter((hook: Value) => {
    const call = hookCall(isObject(hook) ? hook.command : undefined);
    return call?.agent === agent && call.event === event;
  }).length;
}

function checkSetUp(
  sandbox: Place,
  agent: Agent,
  files: OwnFiles,
  was: Record<string, Value>,
): void {
  const now = contents(sandbox, files);
  for (const [file, value] of Object.entries(was)) expect(holds(now[file], value)).toBe(true);
  const [file, ...path] = SERVERS[agent];
  expect(serverKind(valueAt(dataOf(sandbox, file), [...path, "waymark"]))).not.toBe("nothing");
  expect(isApplied(setupOf(agent), sandbox.request("waymark", { exists }))).toBe(true);
  if (hasPlugin(agent)) return;
  for (const event of setupOf(agent).events({ mode: "waymark" })) {
    const own = count(files, agent, event);
    expect([event, running(sandbox, agent, event)]).toEqual([event, Math.max(1, own)]);
  }
}

/** How many hooks of the user run Waymark at an event. */
function count({ hooks }: OwnFiles, agent: Agent, event: string): number {
  const text = JSON.stringify(hooks[event] ?? []);
  const commands = [...text.matchAll(/"command":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, command]) => JSON.parse(`"${command}"`) as string,
  );
  return commands.filter((command) => {
    const call = hookCall(command);
    return call?.agent === agent && call.event === event;
  }).length;
}

it.each(AGENTS)(
  "%s: keeps the user's own entry and hooks through setup, repeated setup and removal",
  { tags: ["user-entry"], timeout: 300_000 },
  (agent) => {
    let done = 0;
    fc.assert(
      fc.property(
        ownFiles(agent, setupOf(agent).events({ mode: "waymark" })),
        fc.constantFrom("waymark", "native", "both"),
        fc.boolean(),
        (files, mode, edits) => {
          const sandbox = newSandbox();
          try {
            for (const [file, text] of Object.entries(files.texts)) sandbox.write(file, text);
            const before = sandbox.everything();
            const was = contents(sandbox, files);
            // Removal without an earlier setup changes nothing.
            expect(sandbox.remove(agent)).toBe(0);
            if (serverKind(files.entry) === "nothing" && mode !== "native") {
              expect(() => sandbox.setUp(agent)).toThrow(/is disabled or starts nothing/);
              expect(sandbox.everything()).toEqual(before);
              return;
            }
            done++;
            if (mode !== "waymark") sandbox.setUp(agent, "native", { exists });
            if (mode !== "native") {
              sandbox.setUp(agent, "waymark", { exists });
              checkSetUp(sandbox, agent, files, was);
            }
            const last = mode === "native" ? "native" : "waymark";
            expect(sandbox.setUp(agent, last, { exists })).toBe(0);
            const [main] = SERVERS[agent];
            if (edits) {
              const { set } = formatOf(main);
              sandbox.write(main, set(sandbox.read(main), ["zz_mine"], { a: "b" }));
              expect(sandbox.setUp(agent, last, { exists })).toBe(0);
            }
            sandbox.remove(agent);
            const after = contents(sandbox, files);
            if (edits)
              expect(after).toEqual({
                ...was,
                [main]: { ...(was[main] as object), zz_mine: { a: "b" } },
              });
            else expect(sandbox.everything()).toEqual(before);
          } finally {
            sandbox.end();
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(done).toBeGreaterThan(RUNS / 2);
  },
);

/** Changes of a user to the entry that setup wrote. */
const CHANGES: readonly (readonly [name: string, value: Value])[] = [
  ["env", { WAYMARK_STORE: "postgres://db/x" }],
  ["cwd", "/srv"],
  ["args", ["mcp", "--tools", "todos,plan"]],
  ["args", ["mcp", "--session", "team"]],
  ["trust", false],
  ["command", "/opt/waymark/bin/waymark"],
];

it.each(AGENTS)(
  "%s: keeps the user's changes to its entry through repeated setup and removal",
  { tags: ["user-entry"], timeout: 300_000 },
  (agent) => {
    const [file, ...path] = SERVERS[agent];
    const { set } = formatOf(file);
    const change = fc
      .constantFrom(...CHANGES)
      .map(([name, value]) =>
        !hasOneCommand(agent) || (name !== "args" && name !== "command")
          ? ([name, value] as const)
          : (["command", ["waymark", ...[value].flat()]] as const),
      );
    fc.assert(
      fc.property(
        formatOf(file) === toml ? tomlText : jsonText,
        change,
        fc.constantFrom([], ["tasks"] as const),
        (text, [name, value], extras) => {
          const sandbox = newSandbox();
          try {
            sandbox.write(file, text);
            const was = dataOf(sandbox, file) as { readonly [name: string]: Value };
            fc.pre(!path.some((each) => Object.hasOwn(was, each)) && accepts(sandbox, agent));
            sandbox.setUp(agent, "waymark", { exists });
            const changed = [...path, "waymark", name];
            sandbox.write(file, set(sandbox.read(file), changed, value));
            sandbox.setUp(agent, "waymark", { exists, extras });
            expect(valueAt(dataOf(sandbox, file), changed)).toEqual(value);
            const again = sandbox.everything();
            expect(sandbox.setUp(agent, "waymark", { exists, extras })).toBe(0);
            sandbox.setUp(agent, "native", { exists });
            expect(valueAt(dataOf(sandbox, file), changed)).toEqual(value);
            sandbox.setUp(agent, "waymark", { exists, extras });
            expect(Object.keys(sandbox.everything())).toEqual(Object.keys(again));
            expect(sandbox.removal(agent).remarks.join()).toContain(
              `waymark" in ${sandbox.path(file)}`,
            );
            sandbox.remove(agent);
            expect(valueAt(dataOf(sandbox, file), changed)).toEqual(value);
            const left = dataOf(sandbox, file) as typeof was;
            const { [path[0] ?? ""]: _, ...rest } = left;
            expect(rest).toEqual(was);
            expect(Object.keys(valueAt(left, path) as object)).toEqual(["waymark"]);
          } finally {
            sandbox.end();
          }
        },
      ),
      { numRuns: sized(10, 300) },
    );
  },
);

/** Setup refuses a file with another type where it needs a list or object. */
function accepts(sandbox: Place, agent: Agent): boolean {
  try {
    sandbox.planned(agent, "waymark");
    sandbox.planned(agent, "native");
    return true;
  } catch {
    return false;
  }
}

describe("an entry named waymark", () => {
  let sandbox: Place;
  beforeEach(() => {
    sandbox = newSandbox();
  });
  afterEach(() => sandbox.end());

  const FILE = MAIN_FILE.gemini;
  const OWN = { command: "npx", args: ["-y", "waymark", "mcp", "--session", "x"], env: { A: "1" } };
  const entry = () => valueAt(dataOf(sandbox, FILE), ["mcpServers", "waymark"]);
  const write = (value: Value) =>
    sandbox.write(FILE, JSON.stringify({ mcpServers: { waymark: value } }, null, 2));
  const change = (path: readonly string[], value: Value) =>
    sandbox.write(FILE, json.set(sandbox.read(FILE), path, value));
  const receipt = () => {
    const [name = ""] = readdirSync(join(sandbox.home, "setup"));
    return join(sandbox.home, "setup", name);
  };
  const own = () => `"mcpServers.waymark" in ${sandbox.path(FILE)}`;

  it("of the user gets missing options, and removal takes them away", () => {
    write(OWN);
    const plan = sandbox.planned("gemini", "waymark");
    expect(plan.remarks).toEqual([
      `${own()} is your own entry, so it is kept: it runs Waymark with your arguments.`,
    ]);
    sandbox.setUp("gemini");
    expect(entry()).toEqual({ ...OWN, trust: true });
    change(["zz"], 1);
    sandbox.remove("gemini");
    expect(dataOf(sandbox, FILE)).toEqual({ mcpServers: { waymark: OWN }, zz: 1 });
  });

  it("does not get back an option that the user removed", () => {
    write(OWN);
    sandbox.setUp("gemini");
    change(["mcpServers", "waymark"], OWN);
    expect(sandbox.setUp("gemini")).toBe(0);
    sandbox.setUp("gemini", "waymark", { program: { command: "/new/waymark", prefixArgs: [] } });
    sandbox.setUp("gemini");
    expect(entry()).toEqual(OWN);
  });

  it.each<[string, Value]>([
    ["a container", { command: "docker", args: ["run", "-i", "me/waymark", "mcp"] }],
    ["a script", { command: "/home/me/run.sh" }],
    ["an address", { httpUrl: "http://127.0.0.1:7777/mcp" }],
  ])("of the user that is %s is kept and reported", (_, value) => {
    write(value);
    expect(sandbox.planned("gemini", "waymark").remarks).toEqual([
      `${own()} is your own entry, so it is kept. Setup cannot tell whether it runs Waymark's MCP server. If it does not, rename it and run the command again.`,
    ]);
    sandbox.setUp("gemini");
    expect(entry()).toEqual(value);
  });

  it.each<[string, Value]>([
    ["disabled", { ...OWN, disabled: true }],
    ["not enabled", { ...OWN, enabled: false }],
    ["empty", {}],
    ["no object", "waymark mcp"],
    ["null", null],
  ])("of the user that is %s is refused, and nothing is written", (_, value) => {
    write(value);
    const before = sandbox.everything();
    expect(() => sandbox.setUp("gemini")).toThrow(
      `${own()} is your own entry, and it is disabled or starts nothing. Nothing was written. Enable, rename or delete it and run the command again.`,
    );
    expect(sandbox.everything()).toEqual(before);
  });

  it("of the user without requested arguments is reported", () => {
    write(OWN);
    expect(sandbox.planned("gemini", "waymark", { extras: ["tasks", "plan"] }).remarks).toEqual([
      `${own()} is your own entry, so it is kept, without --tools todos,tasks,plan. Add these arguments to it if you want them.`,
    ]);
  });

  it("of the user whose program is missing is reported", () => {
    const own = { ...OWN, command: "/no/such/waymark", args: ["mcp"] };
    write(own);
    expect(sandbox.planned("gemini", "waymark").remarks).toEqual([
      `"mcpServers.waymark" in ${sandbox.path(FILE)} is your own entry, so it is kept, but it starts /no/such/waymark, which does not exist. Correct the path, or delete the entry and run the command again.`,
    ]);
  });

  it("of the user is reported in native mode", () => {
    write(OWN);
    expect(sandbox.planned("gemini", "native").remarks).toEqual([
      `${own()} is your own entry, so it is kept. The model may get a second list: delete the entry if you want only one.`,
    ]);
    sandbox.setUp("gemini", "native");
    expect(entry()).toEqual(OWN);
  });

  it("belongs to the user after the user changed its arguments", () => {
    sandbox.setUp("gemini");
    change(["mcpServers", "waymark", "args"], ["mcp", "--tools", "todos,plan"]);
    for (const program of [{ command: "waymark", prefixArgs: [] }, undefined]) {
      sandbox.setUp("gemini", "waymark", program && { program });
      expect(entry()).toMatchObject({ args: ["mcp", "--tools", "todos,plan"] });
    }
    sandbox.remove("gemini");
    expect(entry()).toMatchObject({ args: ["mcp", "--tools", "todos,plan"] });
  });

  it.each<[string, () => void]>([
    ["missing", () => sandbox.forget()],
    ["damaged", () => writeFileSync(receipt(), '{ "path": ')],
    ["of another shape", () => writeFileSync(receipt(), "[]")],
  ])("without a record (%s) is removed only in the form that setup writes", (_, damage) => {
    sandbox.setUp("gemini");
    damage();
    expect(sandbox.planned("gemini", "waymark").remarks).toEqual([
      `The record of the setup of ${sandbox.path(FILE)} is missing or damaged. Entries and hooks in exactly the form that setup writes count as written by setup.`,
    ]);
    expect(sandbox.setUp("gemini")).toBe(0);
    const whole = sandbox.read(FILE);
    sandbox.remove("gemini");
    expect(dataOf(sandbox, FILE)).toEqual({});
    sandbox.write(FILE, whole);
    sandbox.forget();
    change(["mcpServers", "waymark", "env"], { A: "1" });
    sandbox.remove("gemini");
    expect(dataOf(sandbox, FILE)).toEqual({
      mcpServers: { waymark: { command: "waymark", args: ["mcp"], trust: true, env: { A: "1" } } },
    });
  });

  it("is recognized after the file was restored to an earlier state", () => {
    write(OWN);
    const before = sandbox.read(FILE);
    sandbox.setUp("gemini");
    sandbox.write(FILE, before);
    sandbox.setUp("gemini");
    expect(entry()).toEqual({ ...OWN, trust: true });
    sandbox.remove("gemini");
    sandbox.write(FILE, "{}");
    sandbox.setUp("gemini", "waymark", { program: OLD });
    const earlier = sandbox.read(FILE);
    sandbox.setUp("gemini");
    const now = sandbox.read(FILE);
    sandbox.write(FILE, earlier);
    sandbox.setUp("gemini");
    expect(sandbox.read(FILE)).toBe(now);
    sandbox.write(FILE, earlier);
    sandbox.remove("gemini");
    expect(dataOf(sandbox, FILE)).toEqual({});
  });

  it("in the form of setup is kept if there was no setup", () => {
    write({ command: "waymark", args: ["mcp"], trust: true });
    expect(sandbox.remove("gemini")).toBe(0);
    sandbox.setUp("gemini", "waymark", { program: { command: "/new/waymark", prefixArgs: [] } });
    expect(entry()).toEqual({ command: "waymark", args: ["mcp"], trust: true });
  });

  it.each(["as it was", "changed since"])(
    "is recognized with a receipt of an earlier version, %s",
    (how) => {
      const own = {
        hooks: { AfterTool: [{ hooks: [{ type: "command", command: "mine" }] }] },
        a: 1,
      };
      sandbox.write(FILE, JSON.stringify(own, null, 2));
      sandbox.setUp("gemini", "waymark", {
        program: OLD,
      });
      const { memory, ...rest } = JSON.parse(readFileSync(receipt(), "utf8"));
      const { entries, hooks, ...earlier } = memory;
      expect([entries.length, hooks.length]).toEqual([1, 7]);
      writeFileSync(receipt(), JSON.stringify({ ...rest, memory: earlier }));
      if (how !== "as it was") change(["a"], 2);
      sandbox.setUp("gemini");
      expect(entry()).toEqual({ command: "waymark", args: ["mcp"], trust: true });
      expect(sandbox.read(FILE)).not.toContain("/old/");
      sandbox.remove("gemini");
      expect(dataOf(sandbox, FILE)).toEqual({ ...own, a: how === "as it was" ? 1 : 2 });
    },
  );

  it("that an earlier version overwrote is restored byte for byte", () => {
    write(OWN);
    const before = sandbox.read(FILE);
    // As version 0.1.0 did.
    const after = json.set(before, ["mcpServers", "waymark", "args"], ["mcp"]);
    sandbox.setUp("gemini");
    const made = JSON.parse(readFileSync(receipt(), "utf8"));
    const memory = {
      settings: [],
      members: [],
      containers: [["mcpServers"], ["mcpServers", "waymark"]],
    };
    sandbox.write(FILE, after);
    const undo = editsBetween(after, before);
    writeFileSync(receipt(), JSON.stringify({ ...made, hash: hashOf(after), undo, memory }));
    sandbox.remove("gemini");
    expect(sandbox.read(FILE)).toBe(before);
  });

  it("is kept behind a link, with the mode of its file", () => {
    sandbox.write("dotfiles/settings.json", JSON.stringify({ mcpServers: { waymark: OWN } }));
    chmodSync(sandbox.path("dotfiles/settings.json"), 0o600);
    mkdirSync(sandbox.path(".gemini"));
    symlinkSync("../dotfiles/settings.json", sandbox.path(FILE));
    const before = sandbox.everything();
    sandbox.setUp("gemini");
    expect(entry()).toMatchObject(OWN);
    sandbox.remove("gemini");
    expect(sandbox.everything()).toEqual(before);
    expect(statSync(sandbox.path("dotfiles/settings.json")).mode & 0o777).toBe(0o600);
    expect(lstatSync(sandbox.path(FILE)).isSymbolicLink()).toBe(true);
  });

  it("of a project is kept as well", () => {
    const project = sandbox.path("project");
    sandbox.write("project/.mcp.json", JSON.stringify({ mcpServers: { waymark: OWN } }));
    const before = sandbox.everything();
    sandbox.setUp("claude", "waymark", { project });
    expect(JSON.parse(sandbox.read("project/.mcp.json")).mcpServers.waymark).toMatchObject(OWN);
    sandbox.remove("claude", { project });
    expect(sandbox.everything()).toEqual(before);
  });
});

describe("opencode's plugin", () => {
  const FILE = ".config/opencode/plugin/waymark.js";

  it("is kept and reported if it was changed", () => {
    const sandbox = newSandbox();
    try {
      sandbox.setUp("opencode");
      const changed = `${sandbox.read(FILE)}// mine\n`;
      sandbox.write(FILE, changed);
      expect(
        sandbox.setUp("opencode", "waymark", {
          program: { command: "/new/waymark", prefixArgs: [] },
        }),
      ).toBe(1);
      expect(sandbox.planned("opencode", "waymark").remarks).toEqual([
        `${sandbox.path(FILE)} was changed since setup wrote it, so it is kept. To replace it, delete it and run the command again.`,
      ]);
      expect(sandbox.removal("opencode").remarks).toEqual([
        `${sandbox.path(FILE)} was changed since setup wrote it, so it is kept. Delete it if you no longer need it.`,
      ]);
      sandbox.remove("opencode");
      expect(sandbox.read(FILE)).toBe(changed);
    } finally {
      sandbox.end();
    }
  });

  it("of another installation is replaced without a record", () => {
    const sandbox = newSandbox();
    try {
      sandbox.setUp("opencode", "waymark", {
        program: OLD,
      });
      sandbox.forget();
      sandbox.setUp("opencode");
      expect(sandbox.read(FILE)).not.toContain("/old/");
      sandbox.forget();
      sandbox.remove("opencode");
      expect(Object.keys(sandbox.everything())).not.toContain(FILE);
    } finally {
      sandbox.end();
    }
  });
});
