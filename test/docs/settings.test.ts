import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeAgentFiles } from "../../scripts/agent-data.mjs";
import { shortNameOf } from "../../src/agents/identity.ts";
import { AGENTS } from "../../src/agents/index.ts";
import { defaultCommand } from "../../src/cli/commands/default.ts";
import { walkCommands } from "../../src/cli/commands/index.ts";
import { ENVIRONMENT } from "../../src/cli/environment.ts";
import { GUIDES, textOf } from "./pages.ts";

const walked = await walkCommands();
const pages = GUIDES.filter((file) => file !== "docs/reference/cli.md");

describe("what the pages name", () => {
  const OF_OTHERS = new Set(
    `--help --version --output-format --verbose --format --resume --loglevel --watch --fix --collect-only --plugin-dir --noEmit --package --install-extension --mode`.split(
      " ",
    ),
  );
  const options = new Set([
    ...walked.flatMap(({ command }) => Object.keys(command?.options ?? {})),
    ...Object.keys(defaultCommand.options),
  ]);

  test.each(pages)("%s: options exist", (file) => {
    const named = new Set(textOf(file).match(/(?<![\w-])--[a-z][\w-]+/gi));
    const missing = [...named].filter(
      (option) =>
        !options.has(option.slice(2).replace(/^no-/, "")) &&
        !options.has(option.slice(2)) &&
        !OF_OTHERS.has(option),
    );
    expect(missing.filter((option) => !/^--(?:site|save)$/.test(option))).toEqual([]);
  });

  test.each(pages)("%s: commands exist", (file) => {
    const names = new Set(walked.map(({ path }) => path.join(" ")));
    const groups = new Set(
      walked.filter(({ command }) => !command).map(({ path }) => path.join(" ")),
    );
    const missing = [...textOf(file).matchAll(/`waymark ([a-z]+)(?: ([a-z]+))?/g)]
      .filter(([, first = "", second]) => {
        if (!names.has(first)) return true;
        return groups.has(first) && second !== undefined && !names.has(`${first} ${second}`);
      })
      .map(([whole]) => whole);
    expect(missing).toEqual([]);
  });

  test("environment variables exist, and docs/reference/configuration.md has all", () => {
    const known = ENVIRONMENT.flatMap(({ name }) => name.split(", "));
    const named = pages.flatMap((file) => textOf(file).match(/\bWAYMARK_[A-Z_]+\b/g) ?? []);
    expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([]);
    const page = textOf("docs/reference/configuration.md");
    expect(known.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe("the tables of agents", () => {
  test("are as scripts/agent-data.mjs generates them", async () => {
    const stale = await writeAgentFiles(process.cwd(), { check: true });
    expect(stale).toEqual([]);
  });

  test("say where a waiting agent is seen as the recordings do", () => {
    const root = "test/fixtures/needs-you";
    const recorded = (agent: string, file: string) =>
      existsSync(join(root, agent)) &&
      readdirSync(join(root, agent)).some((kind) => existsSync(join(root, agent, kind, file)));
    for (const { identity } of AGENTS) {
      const { support, id } = identity;
      const agent = shortNameOf(identity);
      const seen = [
        ...(recorded(agent, "pending.jsonl") ? ["hooks"] : []),
        ...(recorded(agent, "session-pending.jsonl") ? ["session files"] : []),
      ];
      // Kilo Code has the plugin and the events of opencode.
      const others: Readonly<Record<string, readonly string[]>> = { kilo: ["hooks"] };
      expect([id, support?.needsYou ?? []]).toEqual([id, others[id] ?? seen]);
    }
  });
});

describe("docs/reference/http.md", () => {
  const folder = "src/servers/http";
  const source = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const page = textOf("docs/reference/http.md");

  test("has every route", () => {
    const routes = [...source.matchAll(/method: "([A-Z]+)",\s*path: "(\/api\/[^"]+)"/g)].map(
      ([, method, path]) => `| ${method} | \`${path}\` |`,
    );
    expect(routes.length).toBeGreaterThan(10);
    expect(routes.filter((row) => !page.includes(row))).toEqual([]);
    const rows = page.match(/^\| (?:GET|POST|DELETE) \| `\/api\/[^`]+` \|/gm) ?? [];
    expect(rows.length).toBe(new Set(routes).size);
  });

  test("has every event", () => {
    const changes = readFileSync("src/core/views/changes.ts", "utf8");
    const names = [
      ...source.matchAll(/publish\("(\w+)"/g),
      ...source.matchAll(/RESYNC = "(\w+)"/g),
      ...changes.matchAll(/readonly type: "(\w+)"/g),
    ].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(5);
    expect([...new Set(names)].filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
