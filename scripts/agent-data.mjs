// Generates the files and tables that are derived from the agents' folders: registries of their hooks, setups and task
// files, identities for the page and the command line, colors of the page, and the events that hooks may record
// without starting Node. `--check` writes nothing and fails if a file is out of date.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SCRIPT = "bin/waymark-hook";
const NOTE = "Written by scripts/agent-data.mjs from the registry of agents. Do not edit.";

/**
 * Parts of an agent that few commands use. Each is a file of the agent's folder and gets a registry of its own, so
 * that a command which lists sessions loads decoders and nothing else.
 */
const PARTS = [
  {
    file: "hooks.ts",
    name: "hooks",
    list: "HOOKS",
    type: "AgentHooks",
    from: "../common/hooks/agent.ts",
  },
  {
    file: "setup.ts",
    name: "setup",
    list: "SETUPS",
    type: "AgentSetup",
    from: "../common/setup/agent.ts",
  },
  {
    file: "task-files.ts",
    name: "taskFiles",
    list: "TASK_FILES",
    type: "TaskFilesPart",
    from: "../../tasks/formats/format.ts",
  },
];

/** The agents of the sources below `root` with all their parts, in the order of the registry. */
export async function loadAgents(root) {
  const agents = join(root, "src/agents");
  const folders = readdirSync(agents).filter((folder) =>
    existsSync(join(agents, folder, "identity.ts")),
  );
  const { outputFiles } = await build({
    stdin: { contents: registryOf(agents, folders), resolveDir: agents, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "warning",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  const { AGENTS, FOLDERS } = await import(`data:text/javascript;base64,${code}`);
  const missing = FOLDERS.find(({ identity }) => !AGENTS.some((one) => one.identity === identity));
  if (missing) throw new Error(`src/agents/index.ts does not list src/agents/${missing.folder}`);
  return AGENTS.map((agent) => ({
    ...agent,
    ...FOLDERS.find(({ identity }) => identity === agent.identity),
  }));
}

/** A module that exports the registry, and for each folder its identity and the parts it has a file for. */
function registryOf(agents, folders) {
  const imports = [];
  const entries = folders.map((folder, index) => {
    imports.push(`import { identity as identity${index} } from "./${folder}/identity.ts";`);
    const fields = [`folder: "${folder}"`, `identity: identity${index}`];
    for (const { file, name } of PARTS) {
      if (!existsSync(join(agents, folder, file))) continue;
      imports.push(`import { ${name} as ${name}${index} } from "./${folder}/${file}";`);
      fields.push(`${name}: ${name}${index}`);
    }
    return `{ ${fields.join(", ")} }`;
  });
  return `export { AGENTS } from "./index.ts";
${imports.join("\n")}
export const FOLDERS = [${entries.join(",\n")}];
`;
}

/** The generated files and their contents. */
export async function agentFiles(root) {
  const agents = await loadAgents(root);
  const quiet = quietEvents(agents);
  return new Map([
    ...PARTS.map((part) => [`src/agents/generated/${part.file}`, partText(agents, part)]),
    ["src/agents/generated/identities.ts", identitiesText(agents)],
    ["src/agents/generated/colors.css", colorsText(agents)],
    ["src/agents/generated/quiet.ts", quietText(quiet)],
    [SCRIPT, scriptText(readFileSync(join(root, SCRIPT), "utf8"), quiet)],
    ...[
      ["README.md", shortTable(agents)],
      ["docs/reference/agents.md", agentTable(agents)],
    ].map(([path, table]) => [path, withTable(join(root, path), table)]),
  ]);
}

const NONE = "—";
const MACHINE = {
  home: "/home/me",
  platform: "linux",
  env: {},
  join: (...parts) => parts.join("/"),
};

const isProven = ({ basis }) => !/documentation only|never run/.test(basis);

/** The parts that `waymark setup` writes. */
function writtenBy(setup) {
  if (!setup) return NONE;
  const program = { command: "waymark", prefixArgs: [] };
  const files = setup.files({ mode: "waymark", machine: MACHINE, program, exists: () => false });
  const items = files.flatMap((file) => file.items ?? []);
  const parts = [
    ["MCP server", items.some(({ is }) => is === "server")],
    ["hooks", items.some(({ kind }) => kind === "hook")],
    ["plugin", files.some(({ format }) => format === "own")],
    ["status line", items.some(({ is }) => is === "status line")],
  ];
  return parts.flatMap(([name, there]) => (there ? name : [])).join(", ");
}

const KINDS = { file: "files", document: "files", sqlite: "database" };

function diskOf(decoder) {
  const kinds = (decoder?.locations?.(MACHINE) ?? []).map(({ kind }) => KINDS[kind]);
  return [...new Set(kinds)].join(", ") || NONE;
}

/** An unproven decoder reads live output only if it reads nothing else. */
function streamOf({ identity, decoder }) {
  const { stream = isProven(identity) || diskOf(decoder) === NONE ? "yes" : false } =
    identity.support ?? {};
  return decoder && stream !== false ? stream : NONE;
}

function rowsOf(columns, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |\n`;
  return `${line(columns)}|${"---|".repeat(columns.length)}\n${rows.map(line).join("")}`;
}

function agentTable(agents) {
  const rows = agents.map((agent) => {
    const { identity, decoder, setup } = agent;
    const { id, name, basis, support = {} } = identity;
    return [
      support.guide ? `[${name}](../guides/${support.guide}.md)` : name,
      `\`${id}\``,
      isProven(identity) ? basis : `*unproven*: ${basis}`,
      streamOf(agent),
      diskOf(decoder),
      support.subagents ? "yes" : NONE,
      support.needsYou?.join(", ") ?? NONE,
      writtenBy(setup),
    ];
  });
  return rowsOf(
    [
      "agent",
      "id",
      "proved with the program",
      "stream",
      "disk",
      "subagents",
      "needs you",
      "`waymark setup` adds",
    ],
    rows,
  );
}

/** The agents that are proved with their program and can be set up. */
function shortTable(agents) {
  const isListed = ({ identity, setup }) => setup !== undefined && isProven(identity);
  const rows = agents.filter(isListed).map((agent) => {
    const { identity, decoder, setup } = agent;
    const { name, basis, support = {} } = identity;
    const [version] = basis.split("; ");
    return [
      `[${name}](docs/guides/${support.guide}.md)`,
      version,
      [streamOf(agent) === NONE ? [] : "stream", diskOf(decoder)].flat().join(", "),
      support.subagents ? "yes" : NONE,
      support.needsYou?.join(", ") ?? NONE,
      writtenBy(setup),
    ];
  });
  const others = agents.filter((agent) => !isListed(agent) && agent.identity.id !== "waymark");
  const more = `[${others.length} others](docs/reference/agents.md)`;
  rows.push([more, "most *unproven*: by documentation or source only", "see the page", "", "", ""]);
  return rowsOf(
    ["agent", "proved with", "read", "subagents", "needs you", "`waymark setup` adds"],
    rows,
  );
}

const TABLE = /(<!-- Generated by scripts\/agent-data\.mjs[^\n]*-->\n\n)(?:\|[^\n]*\n)*/;

/** Replaces the generated table of a page. */
function withTable(path, table) {
  const page = readFileSync(path, "utf8");
  if (!TABLE.test(page)) throw new Error(`${path} has no mark for the generated table`);
  return page.replace(TABLE, (_, mark) => mark + table);
}

/** Writes the files that are out of date. Returns their paths. */
export async function writeAgentFiles(root, options) {
  return writeStale(root, await agentFiles(root), options);
}

/** Writes the generated files, contents by path, that are out of date. Returns their paths. */
export function writeStale(root, files, { check = false } = {}) {
  const stale = [...files].filter(([path, text]) => readIfThere(join(root, path)) !== text);
  if (check) return stale.map(([path]) => path);
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return stale.map(([path]) => path);
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The registry of one part: the identity and the part of every agent that has it. */
function partText(agents, { file, name, list, type, from }) {
  const found = agents.filter((agent) => agent[name] !== undefined);
  const variable = (folder) => folder.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
  const Name = name[0].toUpperCase() + name.slice(1);
  const imports = found.flatMap(({ folder }) => [
    { path: `../${folder}/${file}`, names: `{ ${name} as ${variable(folder)}${Name} }` },
    { path: `../${folder}/identity.ts`, names: `{ identity as ${variable(folder)} }` },
  ]);
  const types = [
    { path: from, names: `type { ${type} }` },
    { path: "../identity.ts", names: "type { Identity }" },
  ];
  const lines = [...imports, ...types]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, names }) => `import ${names} from "${path}";\n`);
  const entries = found.map(({ folder }) =>
    [
      "  {",
      `    identity: ${variable(folder)},`,
      `    ${name}: ${variable(folder)}${Name},`,
      "  },\n",
    ].join("\n"),
  );
  return `// ${NOTE}
${lines.join("")}
interface Entry {
  readonly identity: Identity;
  readonly ${name}: ${type};
}

/** The agents whose folder has a \`${file}\`, in the order of the registry. */
export const ${list}: readonly Entry[] = [
${entries.join("")}];
`;
}

function identitiesText(agents) {
  const entries = agents.map(({ identity: { basis: _, support: __, ...data } }) =>
    sourceOf(data, "  "),
  );
  return `// ${NOTE}
import type { Identity } from "../identity.ts";

/** The identities of all agents, in the order of the registry. */
export const IDENTITIES: readonly Omit<Identity, "basis" | "support">[] = [
${entries.map((entry) => `  ${entry},\n`).join("")}];
`;
}

/** An object literal, one property a line, as the formatter leaves it. */
function sourceOf(value, indent) {
  if (Array.isArray(value)) return `[${value.map((each) => sourceOf(each, indent)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const lines = Object.entries(value).map(
    ([name, each]) => `${indent}  ${name}: ${sourceOf(each, `${indent}  `)},\n`,
  );
  return `{\n${lines.join("")}${indent}}`;
}

function colorsText(agents) {
  const colored = agents.flatMap(({ identity: { id, shortName = id, color } }) =>
    color ? [{ name: shortName, page: color.page }] : [],
  );
  const rules = (shade, prefix, indent) =>
    colored
      .map(
        ({ name, page }) =>
          `${indent}${prefix}.hue-${name} {\n${indent}  --agent: ${page[shade]};\n${indent}}\n`,
      )
      .join("");
  return `/* ${NOTE} */
${rules("light", "", "")}${rules("dark", ':root[data-theme="dark"] ', "")}
@media (prefers-color-scheme: dark) {
${rules("dark", ':root[data-theme="system"] ', "  ")}}
`;
}

/** Hook events that can be recorded without starting Node, by their timing. */
function quietEvents(agents) {
  const timings = { never: [], step: [], prompt: [], stop: [] };
  const tools = [];
  const edits = [];
  for (const { hooks } of agents) {
    for (const [name, event] of Object.entries(hooks?.events ?? {})) {
      const events = timings[event.timing];
      // Events that report nothing need no fast path: setup does not subscribe to them.
      const isSilent = event.timing === "never" && event.observe({}).length === 0;
      if (!events || isSilent || event.endsSubagent || events.includes(name)) continue;
      events.push(name);
    }
    tools.push(...Object.keys(hooks?.listTools ?? {}));
    edits.push(...(hooks?.editTools ?? []));
  }
  // Names become shell patterns and regular expressions.
  const odd = [...Object.values(timings).flat(), ...tools, ...edits].find(
    (name) => !/^[A-Za-z]\w*$/.test(name),
  );
  if (odd !== undefined) throw new Error(`"${odd}" cannot be the name of an event or a tool`);
  const counted = [...new Set(timings.step.map((name) => /^[A-Z]?[a-z]+/.exec(name)?.[0] ?? name))];
  return {
    ...timings,
    counted,
    listTools: prefixesOf(tools),
    editTools: [...new Set(edits)].sort(),
  };
}

const SHARED = 4;

/**
 * Patterns for the prefixes of names. There are few of them, because some shells match slowly in long texts: names
 * with the same first four letters share one pattern.
 */
function prefixesOf(names) {
  const groups = new Map();
  for (const name of names) {
    const key = name.slice(0, SHARED).toLowerCase();
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    let length = 1;
    while (length < first.length && group.every((name) => name[length] === first[length])) length++;
    const initials = [...new Set(group.map((name) => name[0]))];
    const initial = initials.length === 1 ? initials[0] : `[${initials.join("")}]`;
    return initial + first.slice(1, length);
  });
}

function quietText({ never, step, prompt, stop, counted, listTools, editTools }) {
  return `// ${NOTE}

/** Events before a call: recorded, and answered only to deny the call. */
export const BEFORE_CALL: readonly string[] = ${sourceOf(never)};
/** Events after a call. */
export const AFTER_CALL: readonly string[] = ${sourceOf(step)};
export const PROMPTS: readonly string[] = ${sourceOf(prompt)};
export const STOPS: readonly string[] = ${sourceOf(stop)};
/** Prefixes of the events after a call. */
export const COUNTED: readonly string[] = ${sourceOf(counted)};
/** Prefixes of the names of the agents' own list tools. */
export const LIST_TOOLS: readonly string[] = [
${listTools.map((name) => `  "${name}",\n`).join("")}];
/** Names of the agents' own tools that edit files. */
export const EDIT_TOOLS: readonly string[] = [
${editTools.map((name) => `  "${name}",\n`).join("")}];
`;
}

const BEGIN = "# Generated by scripts/agent-data.mjs from the hook tables. Do not edit.\n";
const END = "# End of the generated part.\n";

/** Replaces the generated part of the script. */
function scriptText(script, { never, step, prompt, stop, counted, listTools, editTools }) {
  const begin = script.indexOf(BEGIN);
  const end = script.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${SCRIPT} has no markers for the generated part`);
  const calls = listTools.map((name) => `*'"tool_name":"'${name}*`).join(" | ");
  const edits = editTools.map((name) => `*'"tool_name":"'${name}\\"*`).join(" | ");
  const waiting = counted.map((name) => `"$spool/$session".${name}*`).join(" ");
  const ingested = counted.map((name) => `"$spool"/.[os]*-*/"$session".${name}*`).join(" ");
  const branches = Object.entries({ never, step, prompt, stop })
    .filter(([, events]) => events.length > 0)
    .map(([timing, events]) => `${events.join(" | ")}) timing=${timing} ;;\n`);
  const part = `case $event in
${branches.join("")}*) wake "$@" ;;
esac

writes_list() {
  case $input in
  ${calls}) return 0 ;;
  esac
  return 1
}

edits_file() {
  case $1 in
  ${edits}) return 0 ;;
  esac
  return 1
}

count_steps() {
  for one in ${waiting} \\
    ${ingested}; do
    [ -e "$one" ] && steps=$((steps - 1))
  done
}
`;
  return script.slice(0, begin) + BEGIN + part + script.slice(end);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes("--check");
  const stale = await writeAgentFiles(fileURLToPath(new URL("..", import.meta.url)), { check });
  if (check && stale.length > 0) {
    console.error(`out of date: ${stale.join(", ")}. Run: node scripts/agent-data.mjs`);
    process.exitCode = 1;
  }
}
