// Checks which layer may import which, and which files may name an agent. Prints each violation
// with its reason and fails if there is one. Checks src/ or the given directory.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { loadAgents } from "./agent-data.mjs";
import { agentNamesIn, namesOf } from "./agent-names.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = process.argv[2] ?? join(root, "src");

/** The first rule whose path fits a file is its layer. */
const LAYERS = [
  { name: "core", path: "core/", may: ["core"], packages: [], pure: true },
  {
    name: "tools",
    path: "tools/",
    may: ["core", "contracts", "task model", "task rules", "tools", "agent tools"],
    packages: ["zod/mini"],
    pure: true,
  },
  // Plain data and lookups, small enough for the page.
  { name: "identities", path: "agents/identity.ts", may: [], packages: [], pure: true },
  {
    name: "identities",
    path: "agents/generated/identities.ts",
    may: ["identities"],
    packages: [],
    pure: true,
  },
  { name: "identities", path: "agents/generated/quiet.ts", may: [], packages: [], pure: true },
  {
    name: "identities",
    path: "agents/identities.ts",
    may: ["identities"],
    packages: [],
    pure: true,
  },
  // Tools in the formats of agents, for servers and SDK adapters.
  {
    name: "agent tools",
    path: "agents/tools.ts",
    may: ["agents", "tools"],
    packages: [],
    pure: true,
  },
  { name: "agent tools", path: "agents/task-tool-ids.ts", may: ["core"], packages: [], pure: true },
  // Written into a file that the agent loads.
  { name: "agents", path: "agents/opencode/plugin.ts", may: [], packages: ["node:"] },
  { name: "agents", path: "agents/common/setup/plugin-runner.ts", may: [], packages: ["node:"] },
  {
    name: "agents",
    path: "agents/",
    may: [
      "core",
      "contracts",
      "task model",
      "task rules",
      "task formats",
      "tools",
      "agents",
      "agent tools",
      "identities",
    ],
    packages: ["zod/mini"],
    pure: true,
  },
  {
    name: "storage",
    path: "engines/storage/",
    may: ["core", "storage"],
    packages: ["node:"],
  },
  {
    name: "sqlite",
    path: "engines/sqlite/",
    may: ["core", "storage", "sqlite"],
    packages: ["node:", "libsql"],
  },
  {
    name: "postgres",
    path: "engines/postgres/",
    may: ["core", "storage", "postgres"],
    packages: ["node:", "pg"],
  },
  { name: "settings", path: "config/settings.ts", may: ["core"], packages: [], pure: true },
  {
    name: "config",
    path: "config/",
    may: ["core", "settings", "storage", "edit", "config"],
    packages: ["node:", "smol-toml"],
  },
  { name: "peers", path: "peers.ts", may: ["core"], packages: [] },
  { name: "contracts", path: "stores/store.ts", may: ["core"], packages: [] },
  { name: "task model", path: "tasks/model.ts", may: ["core"], packages: [], pure: true },
  { name: "task model", path: "tasks/wire.ts", may: ["task model"], packages: [], pure: true },
  {
    name: "task rules",
    path: "tasks/rules/",
    may: ["core", "task model", "task rules"],
    packages: [],
    pure: true,
  },
  {
    name: "task formats",
    path: "tasks/formats/",
    may: ["core", "task model", "task formats"],
    packages: [],
    pure: true,
  },
  {
    name: "task files",
    path: "tasks/files/",
    may: ["core", "task model", "task rules", "task formats", "task files"],
    packages: [],
    pure: true,
  },
  {
    name: "task folder",
    path: "tasks/folder/",
    may: [
      "core",
      "contracts",
      "task model",
      "task rules",
      "task formats",
      "task files",
      "storage",
      "proofs",
      "git",
      "task folder",
    ],
    packages: ["node:"],
  },
  { name: "contracts", path: "tasks/store.ts", may: ["core", "task model"], packages: [] },
  {
    name: "contracts",
    path: "tasks/prove.ts",
    may: ["core", "contracts", "task model"],
    packages: [],
  },
  {
    name: "task links",
    path: "tasks/links/",
    may: [
      "core",
      "contracts",
      "task model",
      "task rules",
      "storage",
      "tracker",
      "caller",
      "task links",
    ],
    packages: ["node:"],
  },
  {
    name: "tasks",
    path: "tasks/",
    may: [
      "core",
      "contracts",
      "task model",
      "task rules",
      "task formats",
      "storage",
      "sqlite",
      "postgres",
      "tasks",
    ],
    packages: ["node:", "pg"],
  },
  {
    name: "stores",
    path: "stores/",
    may: ["core", "contracts", "storage", "sqlite", "postgres", "stores"],
    packages: ["node:"],
  },
  { name: "tracker", path: "tracker.ts", may: ["core", "contracts"], packages: [] },
  {
    name: "caller",
    path: "sessions/caller/",
    may: ["core", "agents", "identities", "storage", "caller"],
    packages: ["node:"],
  },
  // Also read when a list is written: reminders and the status file depend on them.
  {
    name: "proofs",
    path: "checks/proofs.ts",
    may: ["core", "storage", "proofs"],
    packages: ["node:"],
  },
  {
    name: "proofs",
    path: "checks/file-lock.ts",
    may: ["storage", "caller"],
    packages: ["node:"],
  },
  {
    name: "home",
    path: "home/",
    may: [
      "core",
      "config",
      "agents",
      "contracts",
      "storage",
      "sqlite",
      "stores",
      "tasks",
      "task links",
      "tracker",
      "hooks",
      "caller",
      "proofs",
      "home",
    ],
    packages: ["node:"],
  },
  { name: "terminals", path: "terminals/", may: ["core", "terminals"], packages: ["node:"] },
  { name: "git", path: "git/", may: ["core", "git"], packages: ["node:"] },
  {
    name: "checks",
    path: "checks/",
    may: ["core", "agents", "storage", "caller", "home", "git", "proofs", "checks"],
    packages: ["node:", "smol-toml"],
  },
  // Pure, so that a component of a surface can merge too.
  { name: "merge", path: "sessions/merge.ts", may: ["core"], packages: [], pure: true },
  {
    name: "sessions",
    path: "sessions/",
    may: [
      "core",
      "agents",
      "contracts",
      "task model",
      "storage",
      "sqlite",
      "postgres",
      "tracker",
      "task links",
      "caller",
      "home",
      "git",
      "proofs",
      "checks",
      "merge",
      "sessions",
    ],
    packages: ["node:"],
  },
  {
    name: "ink",
    path: "surfaces/terminal/ink/",
    may: ["core", "merge", "peers", "surfaces", "ink"],
    packages: ["node:", "ink", "react"],
  },
  {
    name: "page",
    path: "surfaces/web/",
    may: ["core", "identities", "task model", "task rules", "surfaces", "page"],
    packages: ["preact", "preact/hooks"],
  },
  {
    name: "mcp app",
    path: "surfaces/mcp-app/",
    may: ["core", "task model", "task rules", "page", "mcp app"],
    packages: ["preact", "preact/hooks"],
  },
  {
    name: "editor",
    path: "surfaces/editor/",
    may: ["core", "surfaces", "page", "editor"],
    packages: ["node:", "vscode"],
  },
  {
    name: "surfaces",
    path: "surfaces/",
    may: ["core", "identities", "task model", "task rules", "surfaces"],
    packages: ["get-east-asian-width"],
  },
  {
    name: "testing",
    path: "testing/",
    may: ["core", "contracts", "task model", "task rules", "testing"],
    packages: ["node:", "vitest"],
  },
  {
    name: "sdk",
    path: "sdk/",
    may: ["core", "tools", "tracker", "agents", "peers", "sdk"],
    packages: ["ai", "zod/mini"],
  },
  // Edits of texts, for every file that users write too.
  {
    name: "edit",
    path: "setup/edit/",
    may: ["core", "agents", "edit"],
    packages: ["jsonc-parser", "smol-toml"],
  },
  {
    name: "setup",
    path: "setup/",
    may: ["core", "agents", "storage", "edit", "setup"],
    packages: ["node:", "jsonc-parser", "smol-toml"],
  },
  {
    name: "doctor",
    path: "doctor/",
    may: [
      "core",
      "agents",
      "contracts",
      "task model",
      "task rules",
      "storage",
      "sqlite",
      "tasks",
      "home",
      "sessions",
      "caller",
      "setup",
      "hooks",
      "git",
      "proofs",
      "checks",
      "doctor",
    ],
    packages: ["node:"],
  },
  {
    name: "acp",
    path: "servers/acp/",
    may: ["core", "agents", "tracker", "acp"],
    packages: ["@agentclientprotocol/sdk", "@agentclientprotocol/sdk/experimental/v2"],
  },
  {
    name: "hooks",
    path: "servers/hooks/",
    may: [
      "core",
      "config",
      "tools",
      "agents",
      "identities",
      "contracts",
      "storage",
      "tracker",
      "caller",
      "task links",
      "home",
      "git",
      "proofs",
      "checks",
      "hooks",
    ],
    packages: ["node:"],
  },
  {
    name: "servers",
    path: "servers/",
    may: [
      "core",
      "settings",
      "tools",
      "agents",
      "identities",
      "contracts",
      "task model",
      "task rules",
      "task links",
      "storage",
      "tracker",
      "surfaces",
      "caller",
      "home",
      "sessions",
      "doctor",
      "setup",
      "demo",
      "hooks",
      "git",
      "terminals",
      "proofs",
      "checks",
      "servers",
    ],
    packages: ["node:", "@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio"],
  },
  {
    name: "demo",
    path: "demo/",
    may: ["core", "contracts", "tracker", "home", "demo"],
    packages: ["node:"],
  },
  { name: "cli", path: "cli/", may: "all", packages: ["node:"] },
  { name: "front door", path: "index.ts", may: "all", packages: [] },
  { name: "front door", path: "create-tracker.ts", may: "all", packages: [] },
  { name: "front door", path: "internal.ts", may: ["core"], packages: [] },
];

/** A pure layer has no clock, randomness or I/O. */
const IMPURE =
  /\b(?:Date\.now|Math\.random|new Date\(\)|process\.|setTimeout|setInterval|crypto\.)/;
/** A line of a doc comment: its examples import the package. */
const EXAMPLE = /^\s*\* .*$/gm;
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)"([^"\n]+)"/g;

/** Code that belongs in one file only. */
const OWNED = [
  {
    code: /\bas ModelText\b/,
    under: "",
    home: "core/text/model-text.ts",
    why: "only the encoder turns a string into a ModelText; use modelText, quote, line or json",
  },
  {
    code: /type: "text"/,
    under: "servers/mcp/",
    home: "servers/mcp/result.ts",
    why: "a text for a model is handed over by textPart",
  },
];

/** A larger folder is split by concept, or listed here with a reason. */
const MOST_FILES = 16;
const LARGE_FOLDERS = {
  "agents/claude-code": "everything about one agent",
  "agents/codex": "everything about one agent",
  "cli/commands": "one file per command",
  "cli/commands/task": "one file per command",
  sdk: "one adapter per SDK and their common part",
  "sessions/transcripts": "steps of one pipeline; scanning and threads are folders of their own",
};

const layerOf = (file) => LAYERS.find((layer) => file.startsWith(layer.path));

function offencesOf(file) {
  const layer = layerOf(file);
  if (!layer) return [`${file}: belongs to no layer; add it to scripts/layers.mjs`];
  const text = readFileSync(join(src, file), "utf8").replace(EXAMPLE, "");
  const found = [];
  for (const [, target] of text.matchAll(IMPORT)) {
    if (!target.startsWith(".")) {
      if (
        !layer.packages.some(
          (name) => target === name || (name.endsWith(":") && target.startsWith(name)),
        )
      )
        found.push(`${file}: ${layer.name} may not import the package ${target}`);
      continue;
    }
    const path = relative(src, join(src, dirname(file), target))
      .split(sep)
      .join("/");
    const other = path.startsWith("..") ? undefined : layerOf(path);
    if (!other) found.push(`${file}: imports ${target}, which is outside of src`);
    else if (layer.may !== "all" && !layer.may.includes(other.name))
      found.push(`${file}: ${layer.name} may not import ${other.name} (${target})`);
  }
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) =>
    comment.replace(/[^\n]/g, " "),
  );
  const owned = OWNED.filter(({ under, home }) => file.startsWith(under) && file !== home);
  code.split("\n").forEach((line, index) => {
    const used = layer.pure ? IMPURE.exec(line) : null;
    if (used) found.push(`${file}:${index + 1}: ${layer.name} is pure and may not use ${used[0]}`);
    for (const { code: taken, why } of owned)
      if (taken.test(line)) found.push(`${file}:${index + 1}: ${why}`);
  });
  return found;
}

function crowdedFolders(files) {
  const counts = new Map();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  const large = [...counts].filter(([, count]) => count > MOST_FILES).map(([folder]) => folder);
  return [
    ...large
      .filter((folder) => !Object.hasOwn(LARGE_FOLDERS, folder))
      .map(
        (folder) =>
          `${folder}: ${counts.get(folder)} files; split it by concept, or give a reason in LARGE_FOLDERS`,
      ),
    ...Object.keys(LARGE_FOLDERS)
      .filter((folder) => !large.includes(folder))
      .map((folder) => `${folder}: ${counts.get(folder) ?? 0} files; remove it from LARGE_FOLDERS`),
  ];
}

const all = readFiles();
const files = all.filter((file) => /\.tsx?$/.test(file));
const names = namesOf(await loadAgents(root));
const offences = [
  ...files.flatMap(offencesOf),
  ...crowdedFolders(files),
  ...all.flatMap((file) => agentNamesIn(file, readFileSync(join(src, file), "utf8"), names)),
];
for (const offence of offences) console.error(offence);
console.log(`layers: ${files.length} files, ${offences.length} offences`);
process.exitCode = offences.length === 0 ? 0 : 1;

function readFiles() {
  return readdirSync(src, { recursive: true })
    .map((file) => file.split(sep).join("/"))
    .filter((file) => /\.(?:[cm]?[jt]sx?|css|html|sql|json|svg)$/.test(file));
}
