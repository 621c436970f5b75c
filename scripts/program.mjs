// Bundles the program into parts that are loaded on demand: opening many files, and compiling what a command
// does not need, is most of the cost of starting.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";
import { parseSync } from "oxc-parser";

/** The first part of the first file is the program, that of the second file the reader thread. */
const ENTRIES = ["src/cli/main.ts", "src/sessions/transcripts/threads/worker.ts"];
/** Parts are numbered by file: those of the second file start at this number, and so on. */
const FILE_SIZE = 1_000;
/**
 * The files, each with what it is entered by. A part is in the first file of which an entry imports it, directly or not; the last
 * file has the rest. Commands that people and agents wait for often should need few files.
 */
const FILES = [
  {
    name: "cli",
    entries: [
      "src/cli/main.ts",
      "src/cli/commands/mcp.ts",
      "src/cli/commands/task/ready.ts",
      "src/engines/sqlite/driver.ts",
      "src/home/open-tasks.ts",
      "src/surfaces/text/tasks/index.ts",
      "src/tasks/sqlite.ts",
    ],
  },
  {
    name: "lists",
    entries: [
      "src/sessions/transcripts/threads/worker.ts",
      "src/cli/answer-hook.ts",
      "src/cli/commands/ls.ts",
      "src/cli/commands/statusline.ts",
      "src/cli/commands/todos.ts",
      "src/cli/commands/tool.ts",
      "src/checks/proofs.ts",
      "src/home/edits/mark-track.ts",
      "src/home/status.ts",
      "src/sessions/resolve.ts",
      "src/sessions/sources.ts",
      "src/sessions/transcripts/machine.ts",
      "src/stores/snapshot-file.ts",
      "src/stores/sqlite.ts",
      "src/surfaces/text/index.ts",
      "src/tracker.ts",
    ],
  },
  {
    name: "mcp",
    entries: [
      "src/servers/hooks/call-session.ts",
      "src/servers/mcp/index.ts",
      "src/servers/mcp/offered-tools.ts",
    ],
  },
  { name: "more", entries: [] },
];

/**
 * Writes the program as arrays of functions. Each function is a module that several commands share, which is compiled and evaluated
 * when another one first needs it.
 */
export async function buildProgram(options) {
  const { metafile, outputFiles } = await build({
    ...options,
    format: "esm",
    splitting: true,
    minify: true,
    entryPoints: ENTRIES,
    outbase: "src",
    outdir: "dist/program",
    write: false,
    define: {
      "import.meta.url": "HERE.url",
      "import.meta.dirname": "HERE.directory",
      "performance.now": "HERE.now",
    },
  });
  checkExports(Object.keys(metafile.inputs));
  const numbers = numberParts(metafile.outputs);
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  for (const [file, { name }] of FILES.entries()) {
    const functions = [...numbers]
      .filter(([, number]) => Math.floor(number / FILE_SIZE) === file)
      .map(([part]) => asFunction(texts.get(part), numbers));
    writeFileSync(
      `dist/${name}.cjs`,
      `"use strict";module.exports=[\n${functions.join(",\n")}\n];\n`,
    );
  }
  return { metafile };
}

/** Importers take the values of a part once. */
function checkExports(files) {
  for (const file of files)
    if (/^export let /m.test(readFileSync(file, "utf8")))
      throw new Error(`${file} exports a variable that may change; export a function instead.`);
}

/** The number of each part. */
function numberParts(outputs) {
  const fileOf = new Map();
  const reach = (path, file) => {
    if (fileOf.has(path)) return;
    fileOf.set(path, file);
    for (const { path: next, kind } of outputs[path].imports)
      if (kind === "import-statement" && outputs[next]) reach(next, file);
  };
  const entered = new Map(
    Object.entries(outputs).map(([path, { entryPoint }]) => [entryPoint, path]),
  );
  for (const [file, { entries }] of FILES.entries())
    for (const entry of entries) {
      if (!entered.has(entry)) throw new Error(`No part of the program starts with ${entry}.`);
      reach(entered.get(entry), file);
    }
  for (const path of Object.keys(outputs).sort()) reach(path, FILES.length - 1);
  const next = FILES.map((_, file) => file * FILE_SIZE);
  return new Map([...fileOf].map(([path, file]) => [basename(path), next[file]++]));
}

/** A module as a function that returns its exports. Modules never import each other in a circle. */
function asFunction(text, numbers) {
  const { module, errors } = parseSync("part.mjs", text);
  if (errors.length > 0) throw new Error(errors[0].message);
  const numberOf = (value) => numbers.get(basename(value));
  const edits = [
    ...module.staticImports.map(({ start, end, moduleRequest: { value }, entries }) => {
      const number = numberOf(value);
      const source =
        number === undefined ? `require(${JSON.stringify(value)})` : `$part(${number})`;
      return { start, end, text: importText(entries, source) };
    }),
    ...module.dynamicImports.map(({ start, end, moduleRequest }) => {
      const value = JSON.parse(text.slice(moduleRequest.start, moduleRequest.end));
      const number = numberOf(value);
      const source =
        number === undefined
          ? `(all=>({...all,default:all}))(require(${JSON.stringify(value)}))`
          : `$part(${number})`;
      return { start, end, text: `Promise.resolve().then(()=>${source})` };
    }),
  ];
  const [tail, exported = ""] = /export\{([^}]*)\};?\s*$/.exec(text) ?? [""];
  const names = exported.split(",").map((each) => {
    const [local, name = local] = each.split(" as ");
    return name === local ? name : `${name}:${local}`;
  });
  let body = text.slice(0, text.length - tail.length);
  for (const { start, end, text: inserted } of edits.toSorted((a, b) => b.start - a.start))
    body = body.slice(0, start) + inserted + body.slice(end);
  return `function($part,require,HERE){${body.trim()}return{${names.join(",")}}}`;
}

function importText(entries, source) {
  if (entries.length === 0) return `${source};`;
  const named = [];
  const declared = [];
  for (const { importName, localName } of entries)
    if (importName.kind === "Name") named.push(`${importName.name}:${localName.value}`);
    else declared.push(`${localName.value}=${source}`);
  if (named.length > 0) declared.push(`{${named.join(",")}}=${source}`);
  return `const ${declared.join(",")};`;
}
