// Writes what the build needs of the agents outside of their folders: the identities for the page and
// the command line, the colors of the page, and the events that hooks may record quietly. `--check`
// writes nothing and fails if a file is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SCRIPT = "bin/waymark-hook";
const NOTE = "Written by scripts/agent-data.mjs from the registry of agents. Do not edit.";

/** The registry of the sources below `root`, loaded from memory. */
export async function loadAgents(root) {
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/agents/index.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "warning",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return (await import(`data:text/javascript;base64,${code}`)).AGENTS;
}

/** The generated files and their contents. */
export async function agentFiles(root) {
  const agents = await loadAgents(root);
  const quiet = quietEvents(agents);
  return new Map([
    ["src/agents/generated/identities.ts", identitiesText(agents)],
    ["src/agents/generated/colors.css", colorsText(agents)],
    ["src/agents/generated/quiet.ts", quietText(quiet)],
    [SCRIPT, scriptText(readFileSync(join(root, SCRIPT), "utf8"), quiet)],
  ]);
}

/** Writes the files that are out of date. Returns their paths. */
export async function writeAgentFiles(root, { check = false } = {}) {
  const stale = [...(await agentFiles(root))].filter(
    ([path, text]) => readIfThere(join(root, path)) !== text,
  );
  if (!check) for (const [path, text] of stale) writeFileSync(join(root, path), text);
  return stale.map(([path]) => path);
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function identitiesText(agents) {
  const entries = agents.map(({ identity: { proof: _, ...data } }) => sourceOf(data, "  "));
  return `// ${NOTE}
import type { Identity } from "../identity.ts";

/** The identities of all agents, in the order of the registry. */
export const IDENTITIES: readonly Omit<Identity, "proof">[] = [
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

/** The events of the hook tables that the program need not be started for, by their pace. */
function quietEvents(agents) {
  const paces = { record: [], step: [], prompt: [], stop: [] };
  const tools = [];
  for (const { hooks } of agents) {
    for (const [name, event] of Object.entries(hooks?.events ?? {})) {
      const events = paces[event.pace];
      // Events that tell nothing need not be quick: setup does not ask for them.
      const isSilent = event.pace === "record" && event.observe({}).length === 0;
      if (!events || isSilent || event.endsSubagent || events.includes(name)) continue;
      events.push(name);
    }
    tools.push(...Object.keys(hooks?.lists ?? {}));
  }
  // The names become patterns of a shell and of regular expressions.
  const odd = [...Object.values(paces).flat(), ...tools].find(
    (name) => !/^[A-Za-z]\w*$/.test(name),
  );
  if (odd !== undefined) throw new Error(`"${odd}" cannot be the name of an event or a list tool`);
  const counted = [...new Set(paces.step.map((name) => /^[A-Z]?[a-z]+/.exec(name)?.[0] ?? name))];
  return { ...paces, counted, listTools: prefixesOf(tools) };
}

const SHARED = 4;

/**
 * Patterns for the start of the names, few of them: some shells take long to look for one in a long
 * text. Names that start with the same four letters are found by what they have in common.
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

function quietText({ record, step, prompt, stop, counted, listTools }) {
  return `// ${NOTE}

/** The events before a call: recorded, and never answered unless they refuse it. */
export const BEFORE_CALL: readonly string[] = ${sourceOf(record)};
/** The events after a call. */
export const AFTER_CALL: readonly string[] = ${sourceOf(step)};
export const PROMPTS: readonly string[] = ${sourceOf(prompt)};
export const STOPS: readonly string[] = ${sourceOf(stop)};
/** How the names of the events after a call start. */
export const COUNTED: readonly string[] = ${sourceOf(counted)};
/** How the names of the agents' own list tools start. */
export const LIST_TOOLS: readonly string[] = ${sourceOf(listTools)};
`;
}

const BEGIN = "# Generated by scripts/agent-data.mjs from the hook tables. Do not edit.\n";
const END = "# End of the generated part.\n";

/** The script with the tables between the two marks. */
function scriptText(script, { record, step, prompt, stop, counted, listTools }) {
  const begin = script.indexOf(BEGIN);
  const end = script.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${SCRIPT} lacks the marks of the generated part`);
  const calls = listTools.map((name) => `*'"tool_name":"'${name}*`).join(" | ");
  const waiting = counted.map((name) => `"$spool/$session".${name}*`).join(" ");
  const ingested = counted.map((name) => `"$spool"/.[os]*-*/"$session".${name}*`).join(" ");
  const branches = Object.entries({ record, step, prompt, stop })
    .filter(([, events]) => events.length > 0)
    .map(([pace, events]) => `${events.join(" | ")}) pace=${pace} ;;\n`);
  const part = `case $event in
${branches.join("")}*) wake "$@" ;;
esac

writes_list() {
  case $input in
  ${calls}) return 0 ;;
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
