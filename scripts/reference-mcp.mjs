// docs/reference/mcp.md, made from what `waymark mcp` answers.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { slugger } from "./markdown.mjs";

/** Whose format a tool has, and what a call does; tools of Waymark itself are not listed. */
const FORMATS = {
  TodoWrite: ["Claude Code", "replaces the list; refuses two todos in progress"],
  todo_write: [
    "oh-my-pi (`ops`), Qwen Code (`todos`)",
    "runs operations, valid ones apply unless `atomic`; or replaces the list, with `blockedBy`",
  ],
  update_plan: ["Codex, OpenClaw", "replaces the list; refuses two todos in progress"],
  write_todos: ["Gemini CLI, LangChain", "replaces the list; refuses two todos in progress"],
  todo: ["Hermes", "replaces or merges by id; repairs instead of refusing"],
  todowrite: ["opencode", "replaces the list; free statuses"],
  TaskCreate: ["Claude Code", "adds a task"],
  TaskUpdate: ["Claude Code", "claims, finishes, releases or edits a task"],
  TaskGet: ["Claude Code", "reads a task"],
  TaskList: ["Claude Code", "reads the tasks"],
};
const OWN = {
  todos: "replaces the list, changes parts by id, or reads",
  tasks: "claims, finishes, fails, releases, adds or reads tasks",
  plan: "proposes a plan, or reads the decision",
};

const EVERY_TOOL = "all,tasks,claude-tasks,plan";
const CLIENT = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "reference", version: "1" },
};

/** The tools of the built program below `root`: `{ tools, resources, resourceTemplates, prompts }`. */
export function loadMcp(root) {
  const home = mkdtempSync(join(tmpdir(), "waymark-mcp-"));
  try {
    const lists = ["tools", "resources", "resources/templates", "prompts"];
    const messages = [
      { id: 0, method: "initialize", params: CLIENT },
      { method: "notifications/initialized" },
      ...lists.map((name, n) => ({ id: n + 1, method: `${name}/list` })),
    ];
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "bin/waymark.js"), "mcp", "--session", "docs", "--tools", EVERY_TOOL],
      {
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: home, WAYMARK_HOME: join(home, "waymark") },
        input: messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join(""),
      },
    );
    const answers = stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ id }) => id > 0);
    if (answers.length !== lists.length) throw new Error(`waymark mcp did not answer: ${stderr}`);
    return Object.assign({}, ...answers.map(({ result }) => result));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The page. */
export function mcpReference({ tools, resources, resourceTemplates, prompts }) {
  const slug = slugger();
  slug("MCP tools");
  const overview = tools.map((tool) => {
    const size = Buffer.byteLength(JSON.stringify(tool));
    const [format, does] = FORMATS[tool.name] ?? ["Waymark", OWN[tool.name]];
    if (does === undefined) throw new Error(`scripts/reference-mcp.mjs does not know ${tool.name}`);
    return `| [\`${tool.name}\`](#${slug(tool.name)}) | ${format} | ${does} | ${(size / 1_000).toFixed(1)} KB |`;
  });
  const row = (cells) => `| ${cells.map((each) => each ?? "").join(" | ")} |`;
  return `# MCP tools

The tools, resources and prompts of \`waymark mcp\`, as \`npm run docs\` read them from the server. The default is the tool \`todos\`; \`--tools\` selects others:
\`all\` is every list tool, \`tasks\` the team's tasks, \`claude-tasks\` the same in the format of Claude Code, \`plan\` lets the model propose a plan.

All list tools write to the same list. Input that is not valid never throws and changes nothing: the model reads what is wrong, where, and what to
send. Try any of them from a shell: \`echo '{}' | waymark tool todos --session demo\`.

The server speaks every protocol version from 2024-11-05 to 2026-07-28, over standard input and output, and over HTTP at \`/mcp\` of
[\`waymark serve\`](http.md#mcp).

| tool | format of | a call | definition |
|---|---|---|---|
${overview.join("\n")}

${tools.map(toolSection).join("\n\n")}

## Resources

| address | type | |
|---|---|---|
${resources.map((each) => row([`\`${each.uri}\``, `\`${each.mimeType}\``, each.description])).join("\n")}
${resourceTemplates.map((each) => row([`\`${each.uriTemplate}\``, each.mimeType && `\`${each.mimeType}\``, each.description])).join("\n")}

Clients that subscribe are notified of every change, by whatever process.

## Prompts

| prompt | arguments | |
|---|---|---|
${prompts.map((each) => row([`\`${each.name}\``, (each.arguments ?? []).map((one) => `\`${one.name}\``).join(", "), each.description])).join("\n")}

Plans are decided with prompts, which clients show to the user as commands. No model can call them.

## View

A client with the extension \`io.modelcontextprotocol/ui\` (MCP Apps) shows the user the list, the plan that waits and the shared tasks as a view: [Chat apps](../guides/chat-apps.md).

| part | |
|---|---|
| resource | \`ui://waymark/list\`, type \`text/html;profile=mcp-app\`: one page that loads nothing |
| metadata of every tool | \`_meta.ui.resourceUri\`, and \`_meta["ui/resourceUri"]\` for older hosts |
| tool \`view\` | for the view only (\`visibility: ["app"]\`): reads the list and the tasks, changes them as the user |
| \`_meta["waymark/view"]\` of an answer | the data that the view draws; text and data that the model reads stay the same |
| \`_meta["waymark/token"]\` of an answer of \`view\` | the token that a change needs |

Other clients get the same tools, resources and answers as without the extension. Over HTTP, clients of older
protocols name the extension once: the server keeps it with their \`Mcp-Session-Id\` until it ends, and they connect again after that.

## Questions to the user

A client with the capability \`elicitation\` (forms) shows the user a form instead:

| when | form | closed, declined or timed out |
|---|---|---|
| a model proposes a plan | *Approve* or *Reject*, and a comment | the plan waits; the prompts still work |
| a call of a list tool removes or cancels five or more unfinished todos | *Remove* | nothing is changed |

Forms need protocol 2026-07-28, or an older one over stdio: requests of older protocols over HTTP have no connection back to the client, so prompts decide there.
`;
}

function toolSection({ name, description, inputSchema }) {
  const rows = fieldsOf(inputSchema).map(
    ([field, type]) => `| \`${field}\` | \`${type.replaceAll("|", "\\|")}\` |`,
  );
  const table =
    rows.length === 0 ? "No arguments." : ["| argument | type |", "|---|---|", ...rows].join("\n");
  return `## ${name}\n\n${quoted(description)}\n\n${table}`;
}

/** The description as the model reads it. */
function quoted(text) {
  return text
    .split("\n")
    .map((line) => `> ${line.replaceAll("<", "&lt;")}`.trimEnd())
    .join("\n>\n");
}

/** The fields of a schema, with those of nested objects: `[name, type]`. */
function fieldsOf(schema, prefix = "") {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const field = `${prefix}${name}${required.has(name) ? "" : "?"}`;
    const inner = each.type === "array" ? each.items : each;
    const nested = inner?.properties
      ? fieldsOf(inner, `${prefix}${name}${each.type === "array" ? "[]" : ""}.`)
      : [];
    return [[field, typeOf(each)], ...nested];
  });
}

function typeOf(schema) {
  const { type, items, anyOf, oneOf } = schema;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (anyOf ?? oneOf) return [...new Set((anyOf ?? oneOf).map(typeOf))].join(" | ");
  if (type === "array") {
    const one = typeOf(items ?? {});
    return one.includes(" | ") ? `(${one})[]` : `${one}[]`;
  }
  return Array.isArray(type) ? type.join(" | ") : (type ?? "any");
}
