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
import { editsBetween } from "../../../src/setup/edit/difference.ts";
import { isObject, type Value, valueAt } from "../../../src/setup/edit/document.ts";
import { json } from "../../../src/setup/edit/json-edit.ts";
import { toml } from "../../../src/setup/edit/toml-edit.ts";
import { isReached } from "../../../src/setup/plan.ts";
import { hashOf } from "../../../src/setup/receipt.ts";
import { hookCall, whatServes } from "../../../src/setup/recognize.ts";
import { sized } from "../../full.ts";
import { AGENTS, type Agent, setupOf } from "./agents.ts";
import { jsonText, tomlText } from "./configs.ts";
import { type OwnFiles, ownFiles } from "./own-configs.ts";
import { MAIN_FILE, newPlace } from "./place.ts";

const RUNS = sized(15, 1_000);

/** Also the programs of generated entries and hooks. */
const exists = (name: string) => /^\/(?:opt|usr|srv)\//.test(name) || existsSync(name);

const OLD = { command: "/old/node", before: ["/old/bin/waymark.js"] };

type Place = ReturnType<typeof newPlace>;

const SERVERS: Readonly<Record<Agent, readonly [file: string, ...path: string[]]>> = {
  claude: [".claude.json", "mcpServers"],
  codex: [MAIN_FILE.codex, "mcp_servers"],
  gemini: [MAIN_FILE.gemini, "mcpServers"],
  opencode: [MAIN_FILE.opencode, "mcp"],
  qwen: [MAIN_FILE.qwen, "mcpServers"],
};

const formatOf = (file: string) => (file.endsWith(".toml") ? toml : json);
const dataOf = (place: Place, file: string) => formatOf(file).read(place.read(file), file);

function contents(place: Place, { texts }: OwnFiles): Record<string, Value> {
  return Object.fromEntries(Object.keys(texts).map((file) => [file, dataOf(place, file)]));
}

/** Every value of `was` is in `now`, in the same place; lists may have grown. */
function holds(now: Value | undefined, was: Value): boolean {
  if (Array.isArray(was))
    return Array.isArray(now) && was.every((each) => now.some((other) => same(other, each)));
  if (isObject(was))
    return isObject(now) && Object.entries(was).every(([name, each]) => holds(now[name], each));
  return now === was;
}

const same = (a: Value, b: Value) => JSON.stringify(a) === JSON.stringify(b);

/** How many hooks run Waymark at an event. */
function running(place: Place, agent: Agent, event: string): number {
  const groups = valueAt(dataOf(place, MAIN_FILE[agent]), ["hooks", event]);
  const hooks = (Array.isArray(groups) ? groups : []).flatMap((group: Value) =>
    isObject(group) && Array.isArray(group.hooks) ? group.hooks : [],
  );
  return hooks.filter((hook: Value) => {
    const call = hookCall(isObject(hook) ? hook.command : undefined);
    return call?.agent === agent && call.event === event;
  }).length;
}

function checkSetUp(place: Place, agent: Agent, files: OwnFiles, was: Record<string, Value>): void {
  const now = contents(place, files);
  for (const [file, value] of Object.entries(was)) expect(holds(now[file], value)).toBe(true);
  const [file, ...path] = SERVERS[agent];
  expect(whatServes(valueAt(dataOf(place, file), [...path, "waymark"]))).not.toBe("nothing");
  expect(isReached(setupOf(agent), place.occasion("waymark", { exists }))).toBe(true);
  if (agent === "opencode") return;
  for (const event of setupOf(agent).events({ mode: "waymark" })) {
    const own = count(files, agent, event);
    expect([event, running(place, agent, event)]).toEqual([event, Math.max(1, own)]);
  }
}

/** How many hooks of the user's run Waymark at an event. */
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
  "N5 %s: the user's own entry and hooks outlive setup, setup again and removal",
  (agent) => {
    let done = 0;
    fc.assert(
      fc.property(
        ownFiles(agent, setupOf(agent).events({ mode: "waymark" })),
        fc.constantFrom("waymark", "native", "both"),
        fc.boolean(),
        (files, mode, edits) => {
          const place = newPlace();
          try {
            for (const [file, text] of Object.entries(files.texts)) place.write(file, text);
            const before = place.everything();
            const was = contents(place, files);
            // Removal without an earlier setup changes nothing.
            expect(place.remove(agent)).toBe(0);
            if (whatServes(files.entry) === "nothing" && mode !== "native") {
              expect(() => place.setUp(agent)).toThrow(/is disabled or starts nothing/);
              expect(place.everything()).toEqual(before);
              return;
            }
            done++;
            if (mode !== "waymark") place.setUp(agent, "native", { exists });
            if (mode !== "native") {
              place.setUp(agent, "waymark", { exists });
              checkSetUp(place, agent, files, was);
            }
            const last = mode === "native" ? "native" : "waymark";
            expect(place.setUp(agent, last, { exists })).toBe(0);
            const [main] = SERVERS[agent];
            if (edits) {
              const { set } = formatOf(main);
              place.write(main, set(place.read(main), ["zz_mine"], { a: "b" }));
              expect(place.setUp(agent, last, { exists })).toBe(0);
            }
            place.remove(agent);
            const after = contents(place, files);
            if (edits)
              expect(after).toEqual({
                ...was,
                [main]: { ...(was[main] as object), zz_mine: { a: "b" } },
              });
            else expect(place.everything()).toEqual(before);
          } finally {
            place.end();
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(done).toBeGreaterThan(RUNS / 2);
  },
  300_000,
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
  "N5 %s: changes of the user to setup's entry outlive setup again and removal",
  (agent) => {
    const [file, ...path] = SERVERS[agent];
    const { set } = formatOf(file);
    const change = fc
      .constantFrom(...CHANGES)
      .map(([name, value]) =>
        agent !== "opencode" || (name !== "args" && name !== "command")
          ? ([name, value] as const)
          : (["command", ["waymark", ...[value].flat()]] as const),
      );
    fc.assert(
      fc.property(
        agent === "codex" ? tomlText : jsonText,
        change,
        fc.constantFrom([], ["tasks"] as const),
        (text, [name, value], extras) => {
          const place = newPlace();
          try {
            place.write(file, text);
            const was = dataOf(place, file) as { readonly [name: string]: Value };
            fc.pre(!path.some((each) => Object.hasOwn(was, each)) && accepts(place, agent));
            place.setUp(agent, "waymark", { exists });
            const changed = [...path, "waymark", name];
            place.write(file, set(place.read(file), changed, value));
            place.setUp(agent, "waymark", { exists, extras });
            expect(valueAt(dataOf(place, file), changed)).toEqual(value);
            const again = place.everything();
            expect(place.setUp(agent, "waymark", { exists, extras })).toBe(0);
            place.setUp(agent, "native", { exists });
            expect(valueAt(dataOf(place, file), changed)).toEqual(value);
            place.setUp(agent, "waymark", { exists, extras });
            expect(Object.keys(place.everything())).toEqual(Object.keys(again));
            expect(place.removal(agent).remarks.join()).toContain(
              `waymark" in ${place.path(file)}`,
            );
            place.remove(agent);
            expect(valueAt(dataOf(place, file), changed)).toEqual(value);
            const { [path[0] ?? ""]: servers, ...rest } = dataOf(place, file) as typeof was;
            expect(rest).toEqual(was);
            expect(Object.keys(servers as object)).toEqual(["waymark"]);
          } finally {
            place.end();
          }
        },
      ),
      { numRuns: sized(10, 300) },
    );
  },
  300_000,
);

/** Setup refuses a file with another type in the place of a list or object. */
function accepts(place: Place, agent: Agent): boolean {
  try {
    place.planned(agent, "waymark");
    place.planned(agent, "native");
    return true;
  } catch {
    return false;
  }
}

describe("an entry named waymark", () => {
  let place: Place;
  beforeEach(() => {
    place = newPlace();
  });
  afterEach(() => place.end());

  const FILE = MAIN_FILE.gemini;
  const OWN = { command: "npx", args: ["-y", "waymark", "mcp", "--session", "x"], env: { A: "1" } };
  const entry = () => valueAt(dataOf(place, FILE), ["mcpServers", "waymark"]);
  const write = (value: Value) =>
    place.write(FILE, JSON.stringify({ mcpServers: { waymark: value } }, null, 2));
  const change = (path: readonly string[], value: Value) =>
    place.write(FILE, json.set(place.read(FILE), path, value));
  const receipt = () => {
    const [name = ""] = readdirSync(join(place.home, "setup"));
    return join(place.home, "setup", name);
  };
  const own = () => `"mcpServers.waymark" in ${place.path(FILE)}`;

  it("of the user gets missing options, and removal takes them away", () => {
    write(OWN);
    const plan = place.planned("gemini", "waymark");
    expect(plan.remarks).toEqual([
      `${own()} is an entry of your own and stays: it runs Waymark, with the arguments that you gave it.`,
    ]);
    place.setUp("gemini");
    expect(entry()).toEqual({ ...OWN, trust: true });
    change(["zz"], 1);
    place.remove("gemini");
    expect(dataOf(place, FILE)).toEqual({ mcpServers: { waymark: OWN }, zz: 1 });
  });

  it("does not get back an option that the user removed", () => {
    write(OWN);
    place.setUp("gemini");
    change(["mcpServers", "waymark"], OWN);
    expect(place.setUp("gemini")).toBe(0);
    place.setUp("gemini", "waymark", { program: { command: "/new/waymark", before: [] } });
    place.setUp("gemini");
    expect(entry()).toEqual(OWN);
  });

  it.each<[string, Value]>([
    ["a container", { command: "docker", args: ["run", "-i", "me/waymark", "mcp"] }],
    ["a script", { command: "/home/me/run.sh" }],
    ["an address", { httpUrl: "http://127.0.0.1:7777/mcp" }],
  ])("of the user that is %s is kept, with a question", (_, value) => {
    write(value);
    expect(place.planned("gemini", "waymark").remarks).toEqual([
      `${own()} is an entry of your own and stays. Setup cannot tell whether it runs Waymark's MCP server; if it does not, rename it and run the command again.`,
    ]);
    place.setUp("gemini");
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
    const before = place.everything();
    expect(() => place.setUp("gemini")).toThrow(
      `${own()} is an entry of your own that is disabled or starts nothing. Nothing was written. Enable it, or rename or delete it, and run the command again.`,
    );
    expect(place.everything()).toEqual(before);
  });

  it("of the user without requested arguments is reported", () => {
    write(OWN);
    expect(place.planned("gemini", "waymark", { extras: ["tasks", "plan"] }).remarks).toEqual([
      `${own()} is an entry of your own and stays, without the arguments --tools todos,tasks,plan. Add them to it if you want them.`,
    ]);
  });

  it("of the user whose program is missing is reported", () => {
    const own = { ...OWN, command: "/no/such/waymark", args: ["mcp"] };
    write(own);
    expect(place.planned("gemini", "waymark").remarks).toEqual([
      `"mcpServers.waymark" in ${place.path(FILE)} is an entry of your own and stays, but /no/such/waymark does not exist. Correct the path, or delete the entry and run the command again.`,
    ]);
  });

  it("of the user is reported in native mode", () => {
    write(OWN);
    expect(place.planned("gemini", "native").remarks).toEqual([
      `${own()} is an entry of your own and stays, so the model may be given a second list. Delete it if you want only one.`,
    ]);
    place.setUp("gemini", "native");
    expect(entry()).toEqual(OWN);
  });

  it("belongs to the user after the user changed its arguments", () => {
    place.setUp("gemini");
    change(["mcpServers", "waymark", "args"], ["mcp", "--tools", "todos,plan"]);
    for (const program of [{ command: "waymark", before: [] }, undefined]) {
      place.setUp("gemini", "waymark", program && { program });
      expect(entry()).toMatchObject({ args: ["mcp", "--tools", "todos,plan"] });
    }
    place.remove("gemini");
    expect(entry()).toMatchObject({ args: ["mcp", "--tools", "todos,plan"] });
  });

  it.each<[string, () => void]>([
    ["missing", () => place.forget()],
    ["damaged", () => writeFileSync(receipt(), '{ "path": ')],
    ["of another shape", () => writeFileSync(receipt(), "[]")],
  ])("without a record (%s) is removed only in the form that setup writes", (_, damage) => {
    place.setUp("gemini");
    damage();
    expect(place.planned("gemini", "waymark").remarks).toEqual([
      `The record of the setup of ${place.path(FILE)} is missing or damaged. Entries and hooks in exactly the form that setup writes are treated as written by setup.`,
    ]);
    expect(place.setUp("gemini")).toBe(0);
    const whole = place.read(FILE);
    place.remove("gemini");
    expect(dataOf(place, FILE)).toEqual({});
    place.write(FILE, whole);
    place.forget();
    change(["mcpServers", "waymark", "env"], { A: "1" });
    place.remove("gemini");
    expect(dataOf(place, FILE)).toEqual({
      mcpServers: { waymark: { command: "waymark", args: ["mcp"], trust: true, env: { A: "1" } } },
    });
  });

  it("is recognized after the file was restored to an earlier state", () => {
    write(OWN);
    const before = place.read(FILE);
    place.setUp("gemini");
    place.write(FILE, before);
    place.setUp("gemini");
    expect(entry()).toEqual({ ...OWN, trust: true });
    place.remove("gemini");
    place.write(FILE, "{}");
    place.setUp("gemini", "waymark", { program: OLD });
    const earlier = place.read(FILE);
    place.setUp("gemini");
    const now = place.read(FILE);
    place.write(FILE, earlier);
    place.setUp("gemini");
    expect(place.read(FILE)).toBe(now);
    place.write(FILE, earlier);
    place.remove("gemini");
    expect(dataOf(place, FILE)).toEqual({});
  });

  it("in the form of setup is kept if there was no setup", () => {
    write({ command: "waymark", args: ["mcp"], trust: true });
    expect(place.remove("gemini")).toBe(0);
    place.setUp("gemini", "waymark", { program: { command: "/new/waymark", before: [] } });
    expect(entry()).toEqual({ command: "waymark", args: ["mcp"], trust: true });
  });

  it.each(["as it was", "changed since"])(
    "is recognized with a receipt of an earlier version, %s",
    (how) => {
      const own = {
        hooks: { AfterTool: [{ hooks: [{ type: "command", command: "mine" }] }] },
        a: 1,
      };
      place.write(FILE, JSON.stringify(own, null, 2));
      place.setUp("gemini", "waymark", {
        program: OLD,
      });
      const { memory, ...rest } = JSON.parse(readFileSync(receipt(), "utf8"));
      const { entries, hooks, ...earlier } = memory;
      expect([entries.length, hooks.length]).toEqual([1, 7]);
      writeFileSync(receipt(), JSON.stringify({ ...rest, memory: earlier }));
      if (how !== "as it was") change(["a"], 2);
      place.setUp("gemini");
      expect(entry()).toEqual({ command: "waymark", args: ["mcp"], trust: true });
      expect(place.read(FILE)).not.toContain("/old/");
      place.remove("gemini");
      expect(dataOf(place, FILE)).toEqual({ ...own, a: how === "as it was" ? 1 : 2 });
    },
  );

  it("that an earlier version overwrote is restored byte for byte", () => {
    write(OWN);
    const before = place.read(FILE);
    // As 0.1.0 did.
    const after = json.set(before, ["mcpServers", "waymark", "args"], ["mcp"]);
    place.setUp("gemini");
    const made = JSON.parse(readFileSync(receipt(), "utf8"));
    const memory = {
      settings: [],
      members: [],
      containers: [["mcpServers"], ["mcpServers", "waymark"]],
    };
    place.write(FILE, after);
    const undo = editsBetween(after, before);
    writeFileSync(receipt(), JSON.stringify({ ...made, hash: hashOf(after), undo, memory }));
    place.remove("gemini");
    expect(place.read(FILE)).toBe(before);
  });

  it("is kept behind a link, with the mode of its file", () => {
    place.write("dotfiles/settings.json", JSON.stringify({ mcpServers: { waymark: OWN } }));
    chmodSync(place.path("dotfiles/settings.json"), 0o600);
    mkdirSync(place.path(".gemini"));
    symlinkSync("../dotfiles/settings.json", place.path(FILE));
    const before = place.everything();
    place.setUp("gemini");
    expect(entry()).toMatchObject(OWN);
    place.remove("gemini");
    expect(place.everything()).toEqual(before);
    expect(statSync(place.path("dotfiles/settings.json")).mode & 0o777).toBe(0o600);
    expect(lstatSync(place.path(FILE)).isSymbolicLink()).toBe(true);
  });

  it("of a project is kept as well", () => {
    const project = place.path("project");
    place.write("project/.mcp.json", JSON.stringify({ mcpServers: { waymark: OWN } }));
    const before = place.everything();
    place.setUp("claude", "waymark", { project });
    expect(JSON.parse(place.read("project/.mcp.json")).mcpServers.waymark).toMatchObject(OWN);
    place.remove("claude", { project });
    expect(place.everything()).toEqual(before);
  });
});

describe("opencode's plugin", () => {
  const FILE = ".config/opencode/plugin/waymark.js";

  it("is kept and reported if it was changed", () => {
    const place = newPlace();
    try {
      place.setUp("opencode");
      const changed = `${place.read(FILE)}// mine\n`;
      place.write(FILE, changed);
      expect(
        place.setUp("opencode", "waymark", { program: { command: "/new/waymark", before: [] } }),
      ).toBe(1);
      expect(place.planned("opencode", "waymark").remarks).toEqual([
        `${place.path(FILE)} is not as setup writes it and stays. To get the current one, delete it and run the command again.`,
      ]);
      expect(place.removal("opencode").remarks).toEqual([
        `${place.path(FILE)} was changed since setup wrote it and stays. Delete it yourself if you do not need it.`,
      ]);
      place.remove("opencode");
      expect(place.read(FILE)).toBe(changed);
    } finally {
      place.end();
    }
  });

  it("of another installation is replaced without a record", () => {
    const place = newPlace();
    try {
      place.setUp("opencode", "waymark", {
        program: OLD,
      });
      place.forget();
      place.setUp("opencode");
      expect(place.read(FILE)).not.toContain("/old/");
      place.forget();
      place.remove("opencode");
      expect(Object.keys(place.everything())).not.toContain(FILE);
    } finally {
      place.end();
    }
  });
});
