// Finds names of agents in sources outside src/agents/. Everything known about an agent is in its
// folder; other code reads declared properties instead.

/** Folders that may name agents. */
const EXEMPT = ["agents/", "demo/"];

/** Ids that are also ordinary words; not searched for. */
const ORDINARY = {
  continue: "a keyword of JavaScript",
  kilo: "1,024 bytes",
  cursor: "the cursor of a terminal or of a page of results",
  waymark: "this project",
  acp: "a protocol, served by servers/acp/",
};

/** Files outside src/agents/ that may name an agent, with the reason. */
const ALLOWED = [
  { file: /^sdk\/claude-agent/, text: /claude/i, why: "the adapter for the Claude Agent SDK" },
  { file: /^sdk\//, text: /claude agent sdk|langchain/i, why: "names of SDKs" },
  { file: /^servers\/acp\//, text: /agent client protocol/i, why: "the protocol that it serves" },
  { file: /./, text: /claude-tasks/, why: "a tool group that users type" },
  { file: /./, text: /CLAUDE_TASKS/, why: "an export of the library" },
  { file: /./, text: /todo_write\.qwen/, why: "a tool id that users type" },
  {
    file: /^cli\/commands\/pipe\.ts$/,
    text: /agent-chatter/,
    why: "an output format that users type",
  },
  {
    file: /^core\/cost\/(?:price-list|model-names)\.ts$/,
    text: /claude|codex|gemini|kimi|qwen/,
    why: "names of models, as agents spell them",
  },
  {
    file: /^surfaces\/editor\/extension\.ts$/,
    text: /from "vscode"/,
    why: "the interface of the editor that it extends",
  },
  {
    file: /^core\/list\/policy\.ts$/,
    text: /^ {2}claude: \{|"claude-7-3"/,
    why: "presets that users type",
  },
];

/** The names to look for, from the identities of the registry. */
export function namesOf(agents) {
  const names = agents.flatMap(({ identity: { id, name, shortName, command } }) =>
    Object.hasOwn(ORDINARY, id) ? [] : [id, name, shortName ?? id, command ?? id],
  );
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

function patternOf(names) {
  const escaped = (name) => name.replace(/[^\w\s-]/g, "\\$&").replace(/[\s-]+/g, "[\\s_-]?");
  return new RegExp(names.map(escaped).join("|"), "gi");
}

/** The first name that is a word of its own, or a part of one such as `zedHooks`. */
function nameIn(text, pattern) {
  for (const { 0: name, index } of text.matchAll(pattern)) {
    const before = text[index - 1] ?? "";
    const after = text[index + name.length] ?? "";
    const starts = !/[A-Za-z]/.test(before) || (/[a-z]/.test(before) && /^[A-Z]/.test(name));
    const ends = !(name === name.toUpperCase() ? /[A-Za-z]/ : /[a-z]/).test(after);
    if (starts && ends) return name;
  }
  return undefined;
}

/** One message for each line of `text` that names an agent. */
export function agentNamesIn(file, text, names) {
  if (EXEMPT.some((folder) => file.startsWith(folder))) return [];
  const pattern = patternOf(names);
  const allowed = ALLOWED.filter((each) => each.file.test(file));
  const without = (line) =>
    allowed.reduce(
      (rest, each) => rest.replace(new RegExp(each.text, `${each.text.flags}g`), ""),
      line,
    );
  const named = nameIn(without(file), pattern);
  const found = named ? [`${file}: the file is named after the agent "${named}"`] : [];
  text.split("\n").forEach((line, index) => {
    const name = nameIn(without(line), pattern);
    if (name !== undefined)
      found.push(
        `${file}:${index + 1}: names the agent "${name}"; declare a property in src/agents/ instead`,
      );
  });
  return found;
}
