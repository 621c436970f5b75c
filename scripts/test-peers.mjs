// npm run test:peers: installs the packed package beside real versions of its optional peers and imports its entries.
// Every installation must succeed; unsupported versions must be refused on import.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { exactPackages, installPackages } from "./install-packages.mjs";
import { installNode } from "./node-versions.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const INK_PROGRAM = `
  import { PassThrough } from "node:stream";
  import { render } from "ink";
  import { createElement } from "react";
  import { createTracker } from "waymark";
  import { Board, TodoList, TodoSpinner } from "waymark/ink";
  const list = createTracker({ session: "s" }).list({ session: "s", agent: "main" });
  list.set([{ text: "Find it", status: "completed" }, { text: "Fix it", status: "in_progress" }]);
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  let drawn = "";
  stdout.on("data", (data) => { drawn += data; });
  const track = list.read();
  for (const part of [
    createElement(TodoList, { track, width: 60 }),
    createElement(TodoSpinner, { track, width: 60, expanded: true }),
    createElement(Board, { tracks: [track], width: 60, height: 10 }),
  ]) {
    drawn = "";
    const app = render(part, { stdout, patchConsole: false, debug: true });
    await new Promise((resolve) => setTimeout(resolve, 100));
    app.unmount();
    if (!drawn.includes("Fix it")) throw new Error("Nothing was drawn: " + JSON.stringify(drawn));
  }
  console.log("works");
  process.exit(0);`;

const AI_PROGRAM = `
  import { generateText, stepCountIs } from "ai";
  import { createTracker } from "waymark";
  import { withWaymark } from "waymark/sdk/ai";
  const tracker = createTracker({ session: "s" });
  const waymark = withWaymark(tracker);
  const [name] = Object.keys(waymark.tools);
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const answers = [
    { content: [{ type: "tool-call", toolCallId: "c1", toolName: name, input: '{"todos":[{"text":"Fix it"}]}' }], finishReason: { unified: "tool-calls" } },
    { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" } },
  ];
  const model = {
    specificationVersion: "v3", provider: "scripted", modelId: "m", supportedUrls: {},
    doGenerate: async () => ({ ...answers.shift(), usage, warnings: [] }),
  };
  const { text } = await generateText({ model, prompt: "Go", tools: waymark.tools, prepareStep: waymark.prepareStep, stopWhen: stepCountIs(3) });
  const { todos } = await tracker.list({ session: "s", agent: "main" }).read();
  if (text !== "done" || todos.length !== 1) throw new Error(JSON.stringify({ text, todos }));
  console.log("works");`;

const PEERS = [
  {
    peers: { ink: "5.2.1", react: "18.3.1" },
    program: INK_PROGRAM,
    refused: /ink 5\.2\.1 is installed/,
  },
  {
    peers: { ink: "6.0.0", react: "19.3.1" },
    program: INK_PROGRAM,
    refused: /ink 6\.0\.0 is installed/,
  },
  { peers: { ink: "6.8.0", react: "19.3.1" }, program: INK_PROGRAM },
  { peers: { ink: "7.1.1", react: "19.3.1" }, program: INK_PROGRAM, newer: true },
  { peers: { ink: "8.0.0", react: "19.3.1" }, program: INK_PROGRAM, newer: true },
  {
    peers: { ai: "5.0.277", zod: "4.6.7" },
    program: AI_PROGRAM,
    refused: /ai 5\.0\.277 is installed/,
  },
  { peers: { ai: "6.0.326", zod: "4.6.7" }, program: AI_PROGRAM },
  { peers: { ai: "7.0.170", zod: "4.6.7" }, program: AI_PROGRAM, newer: true },
];

const place = mkdtempSync(join(tmpdir(), "waymark-peers-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));

const [{ filename }] = JSON.parse(npm(["pack", "--json", "--pack-destination", place], root));
const failures = [];
for (const each of PEERS) await tryOut(each);
for (const failure of failures) console.error(`\n${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;

async function tryOut({ peers, program, refused, newer = false }) {
  const title = Object.entries(peers)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
  try {
    const packages = await installPackages("peers", exactPackages(peers));
    const project = mkdtempSync(join(place, "project-"));
    cpSync(packages, project, { recursive: true, verbatimSymlinks: true });
    npm(["install", "--prefer-offline", "--ignore-scripts", join(place, filename)], project);
    writeFileSync(join(project, "program.mjs"), program);
    // These versions need Node 22.
    const isOld = Number.parseInt(process.versions.node, 10) < 22;
    const node = newer && isOld ? await installNode(24) : process.execPath;
    const { stdout, stderr } = spawnSync(node, ["program.mjs"], { cwd: project, encoding: "utf8" });
    if (refused ? !refused.test(stderr) : stdout.trim() !== "works")
      throw new Error(`${stdout}${stderr}`);
    console.log(`${title}: installed, ${refused ? "refused on import" : "works"}`);
  } catch (error) {
    console.log(`${title}: FAILED`);
    failures.push(`${title}: ${error.message}`);
  }
}

function npm(args, cwd) {
  const all = [...args, "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stdout, stderr } = spawnSync("npm", all, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stdout}${stderr}`);
  return stdout;
}
