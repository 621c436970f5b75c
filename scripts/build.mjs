// Bundles the program and the library, then writes the type declarations. Only optional packages
// stay outside the bundles: the native driver, and peers of the user.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeAgentFiles } from "./agent-data.mjs";
import { writeAppIcons } from "./app-icons.mjs";
import { bundledPackages, licenseTexts } from "./licenses.mjs";
import { writeManPage } from "./man.mjs";
import { buildProgram } from "./program.mjs";
import { loadCommands } from "./reference-cli.mjs";
import { isStale } from "./stale.mjs";
import { writeTypes } from "./types.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
if (process.argv.includes("--if-stale") && !isStale(".")) process.exit(0);
const {
  version,
  exports: doors,
  peerDependencies: peers,
} = createRequire(import.meta.url)("../package.json");

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  // pg loads its native variant only on request.
  external: ["libsql", ...Object.keys(peers), "vitest", "pg-native"],
  // The CommonJS build of jsonc-parser loads its parts in a way that bundlers cannot follow.
  mainFields: ["module", "main"],
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
};

const browser = {
  ...common,
  platform: "browser",
  target: ["chrome120", "firefox121", "safari17.4"],
  format: "iife",
  minify: true,
  jsx: "automatic",
  jsxImportSource: "preact",
};

/** JSON schema validation of the MCP SDK is used by clients only. */
const leaveOut = {
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: "shims",
      namespace: "leave-out",
    }));
    onLoad({ filter: /.*/, namespace: "leave-out" }, () => ({
      contents: `export { default as process } from "node:process";
        export class DefaultJsonSchemaValidator {
          getValidator() { throw new Error("JSON schemas are not checked here."); }
        }`,
    }));
  },
};

/** Large parts that only one command needs are separate files beside the program. */
const setApart = {
  name: "set-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^pg$/ }, () => ({ path: "./pg.cjs", external: true }));
    onResolve({ filter: /\/sdk\.ts$/ }, ({ importer }) =>
      importer.includes("mcp") ? { path: "./mcp-sdk.cjs", external: true } : undefined,
    );
  },
};

/**
 * The same for the library: pg is CommonJS and cannot be part of an ES module that requires Node's
 * built-in modules. Its importers are one folder deep, the MCP server two.
 */
const besideLibrary = {
  name: "beside the library",
  setup({ onResolve }) {
    onResolve({ filter: /^pg$/ }, () => ({ path: "../pg.cjs", external: true }));
    onResolve({ filter: /\/sdk\.ts$/ }, ({ importer }) =>
      importer.includes("mcp") ? { path: "../../mcp-sdk.cjs", external: true } : undefined,
    );
  },
};

const begun = Date.now();
const say = process.argv.includes("--progress") ? (line) => console.error(`  ${line}`) : () => {};

say("bundling the program, the library and the page");
await writeAgentFiles(".");
rmSync("dist", { recursive: true, force: true });
// An existing bundle is complete: see stale.mjs.
process.once("exit", (code) => code !== 0 && rmSync("dist/cli.cjs", { force: true }));
// With a handler, Ctrl+C waits for the trial run, whose temporary directory is then removed.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
const built = await Promise.all([
  build({
    ...common,
    stdin: { contents: 'module.exports = require("pg");', resolveDir: "." },
    outfile: "dist/pg.cjs",
    format: "cjs",
    minify: true,
  }),
  build({
    ...common,
    entryPoints: Object.values(doors)
      .filter((door) => typeof door === "object")
      .map((door) => door.default.replace("./dist/", "src/").replace(/\.js$/, ".ts")),
    outbase: "src",
    outdir: "dist",
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    // Keep names for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [besideLibrary],
  }),
  build({
    ...common,
    entryPoints: ["src/cli/quick.ts"],
    outfile: "dist/quick.cjs",
    format: "cjs",
    minify: true,
    supported: { "dynamic-import": false },
    // As `performance.now`, which pulls in the performance modules.
    define: { "performance.now": "NOW" },
    banner: { js: "const NOW=()=>Number(process.hrtime.bigint())/1e6;" },
  }),
  buildProgram({ ...common, plugins: [setApart] }),
  build({
    ...common,
    entryPoints: ["src/servers/mcp/sdk.ts"],
    outfile: "dist/mcp-sdk.cjs",
    format: "cjs",
    minify: true,
    plugins: [leaveOut],
  }),
  build({
    ...browser,
    entryPoints: ["app.tsx", "app.css", "sign-in.ts", "sign-in.css"].map(
      (name) => `src/surfaces/web/${name}`,
    ),
    outdir: "dist/web",
  }),
  build({
    ...browser,
    entryPoints: ["app.tsx", "app.css"].map((name) => `src/surfaces/mcp-app/${name}`),
    outdir: "dist",
    write: false,
  }),
]);
for (const name of ["index.html", "favicon.svg", "favicon-you.svg", "app.webmanifest"])
  copyFileSync(`src/surfaces/web/${name}`, `dist/web/${name}`);
writeAppIcons("dist/web");
writeMcpApp(built.flatMap(({ outputFiles = [] }) => outputFiles));
const commands = await loadCommands(".");
writeManPage("dist/man/waymark.1", commands, version);
writeFileSync("dist/help.txt", `${commands.help}\n`);
const packages = bundledPackages(built.map(({ metafile }) => metafile));
writeFileSync("THIRD_PARTY_LICENSES", licenseTexts(packages));

const COMPILED = ["cli", "lists", "mcp", "more", "mcp-sdk", "quick"].map(
  (name) => `dist/${name}.cjs`,
);
for (const file of COMPILED) checkAscii(file);
await Promise.all(
  // The launcher, and the entry of reading threads.
  ["start", "reading-thread"].map((name) =>
    build({
      ...common,
      entryPoints: [`src/cli/${name}.ts`],
      outfile: `dist/${name}.cjs`,
      format: "cjs",
      minify: true,
      define: {
        BUILD: JSON.stringify(buildName(COMPILED)),
        VERSION: JSON.stringify(version),
      },
    }),
  ),
);

say("trying out that it runs");
// A checkout keeps compiled code here, not in the user's cache directory. Not part of the package.
mkdirSync("dist/compiled", { mode: 0o700 });
tryOut();
say(`built in ${Math.round((Date.now() - begun) / 1_000)} s`);

if (!process.argv.includes("--no-types")) process.exitCode = writeTypes();

/** The view of MCP hosts: one file, because a host lets it load nothing. */
function writeMcpApp(files) {
  const textOf = (name) => {
    const found = files.find(({ path }) => path.endsWith(name))?.text;
    if (found === undefined || /<\/(?:script|style)|<!--/i.test(found))
      throw new Error(`${name} of the MCP app cannot stand in a page.`);
    return found;
  };
  const page = readFileSync("src/surfaces/mcp-app/index.html", "utf8")
    .replace("/*STYLE*/", () => textOf("app.css").trim())
    .replace("/*SCRIPT*/", () => textOf("app.js").trim());
  writeFileSync("dist/mcp-app.html", page);
}

/** The launcher reads them byte by byte. The bundler escapes everything but what stands in a pattern. */
function checkAscii(file) {
  const place = readFileSync(file).findIndex((byte) => byte > 0x7f);
  if (place === -1) return;
  const around = readFileSync(file, "utf8").match(/.{0,40}[^\0-\x7f].{0,20}/)?.[0];
  throw new Error(`${file} holds a character that is not ASCII; escape it: ${around}`);
}

/** Changes with every byte of the files. */
function buildName(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  return `${version}-${hash.digest("hex").slice(0, 12)}`;
}

/** Runs the program and its parts, each with an empty home. They write their compile caches. */
function tryOut() {
  run(["tool", "todos", "--session", "build"], '{"todos":[{"text":"Build"}]}');
  const client = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "build", version: "1" },
  };
  const call = { name: "todos", arguments: { todos: [{ text: "Build" }] } };
  const messages = [
    { id: 1, method: "initialize", params: client },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
    { id: 3, method: "tools/call", params: call },
  ];
  const input = messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join("");
  run(["mcp", "--session", "build"], input);
  run(["ls", "--json"], "");
  run(["statusline"], "{}");
}

function run(args, input) {
  const home = mkdtempSync(join(tmpdir(), "waymark-build-"));
  try {
    const project = join(home, ".claude", "projects", "-build");
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, "00000000-0000-4000-8000-000000000000.jsonl"), sessionText());
    const { PATH, SystemRoot } = process.env;
    const env = {
      PATH,
      ...(SystemRoot && { SystemRoot }),
      HOME: home,
      USERPROFILE: home,
      WAYMARK_HOME: join(home, "waymark"),
    };
    const options = { env, input, encoding: "utf8" };
    const { status, stderr } = spawnSync(process.execPath, ["bin/waymark.js", ...args], options);
    if (status !== 0) throw new Error(`The program was built but does not run: ${stderr}`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Long enough that reading skips some of it. */
function sessionText() {
  const line = (number, type, content, more) =>
    JSON.stringify({
      type,
      sessionId: "00000000-0000-4000-8000-000000000000",
      isSidechain: false,
      cwd: "/build",
      uuid: `${type}-${number}`,
      timestamp: new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString(),
      message: { id: `m${number}`, role: type, model: "model", content },
      ...more,
    });
  return Array.from({ length: 60 }, (_, number) => {
    const id = `toolu_${number}`;
    const isList = number % 3 === 0;
    const status = number % 2 === 0 ? "in_progress" : "completed";
    const todos = [{ content: "Build", status, activeForm: "Building" }];
    const input = isList ? { todos } : { command: "make" };
    const name = isList ? "TodoWrite" : "Bash";
    const output = "built ".repeat(isList ? 1 : 500);
    return [
      line(number, "user", `Build ${number}`),
      line(number, "assistant", [{ type: "tool_use", id, name, input }]),
      line(number, "user", [{ type: "tool_result", tool_use_id: id, content: output }], {
        toolUseResult: isList ? { oldTodos: [], newTodos: todos } : { stdout: output },
      }),
    ].join("\n");
  })
    .join("\n")
    .concat("\n");
}
