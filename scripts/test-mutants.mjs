// Changes the sources in small ways, one at a time, and prints the changes that no test notices, with a score by folder.
//   npm run test:mutants -- [PATH...] [--sample N] [--seed S] [--tests PATH]... [--only FILE:LINE]...
//     [--json FILE] [--again FILE]   writes the results; tries those again that were missed, after tests were added
// mutants-equivalent.json lists the changes that change no behavior; they are not tried.
//     [--screen]   tries only in one process: quick, and prints too many as survivors, to find where tests are missing
// All mutants that compile are built into the sources behind a switch. One run without any records which tests reach
// which mutant. Then each test runs again for each mutant that it reaches, in one process (mutant-runner.mjs). Mutants that
// no test caught there, or that are reached while modules load, get a process of their own, until a test fails.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { createVitest } from "vitest/node";
import { FAULTS } from "./faults.mjs";
import { isEquivalent, mutantsOf, mutated, withSwitches } from "./mutate.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", multiple: true },
    only: { type: "string", multiple: true },
    again: { type: "string" },
    json: { type: "string" },
    screen: { type: "boolean", default: false },
  },
});
/**
 * Sources, their tests, and those of the next layer that run in this process. Tests that start the built program
 * cannot notice a change of the sources.
 */
const UNITS = [
  [
    "src/core",
    [
      "test/core",
      "test/tools",
      "test/tracker.test.ts",
      "test/agents",
      "test/formats",
      "test/model-text",
      "test/servers/report",
      "test/surfaces/report",
      "test/surfaces/text",
    ],
  ],
  [
    "src/tasks/rules",
    [
      "test/tasks/rules",
      "test/tasks/memory.test.ts",
      "test/tasks/expired.test.ts",
      "test/tasks/undo-ops.test.ts",
      "test/tasks/equality.test.ts",
      "test/tools/tasks",
      "test/surfaces/text/tasks.test.ts",
    ],
  ],
  [
    "src/sessions",
    [
      "test/sessions",
      "test/servers/http",
      "test/servers/mcp/http-identity.test.ts",
      "test/surfaces/counts.test.ts",
      "test/truth/truth.test.ts",
      "test/postgres/remote.test.ts",
      "test/postgres/sender.test.ts",
      "test/postgres/other-clocks.test.ts",
    ],
  ],
  ["src/servers/http/access", ["test/servers/http"]],
];
/** Tests that measure memory and time. */
const LEFT_OUT = /bounds|first-scan|slow-consumers/;
/** More than half of the mutants compile. */
const DRAWN_FOR_EACH = 2;
/** A mutant that is reached this many times as often as without it is in an endless loop. */
const ENDLESS = 100;
/** Milliseconds from which only those tests of a file are run that reach a mutant. */
const LONG = 500;
const TIMEOUT = 120_000;
/** A run that takes this many times as long as without mutants is endless. */
const SLOWER = 5;
const TRIES = 3;
/** Milliseconds without progress in a batch; a test may wait for a condition that never becomes true. */
const STUCK = 60_000;

const seed = Number(options.seed);
const paths = positionals.length > 0 ? positionals : UNITS.map(([folder]) => folder);
const tests =
  options.tests ??
  UNITS.filter(([folder]) =>
    paths.some((path) => path.startsWith(folder) || folder.startsWith(path)),
  ).flatMap(([, own]) => own);
const say = (text) =>
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`);

const work = mkdtempSync(join(tmpdir(), "waymark-mutants-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
process.env.CI = "true";

const sources = new Map(
  paths
    .flatMap((path) => filesIn(path, /(?<!\.d)\.ts$/))
    .map((file) => [file, readFileSync(join(root, file), "utf8")]),
);
const equivalents = JSON.parse(readFileSync(join(root, "scripts/mutants-equivalent.json"), "utf8"));
const every = [...sources].flatMap(([file, source]) =>
  mutantsOf(source).map((mutant) => ({ file, ...mutant })),
);
const all = every.filter(
  (mutant) =>
    !equivalents.some((each) => isEquivalent(each, mutant, sources.get(mutant.file) ?? "")),
);
const missed = options.again
  ? new Set(JSON.parse(readFileSync(options.again, "utf8")).filter(isMissed).map(nameOf))
  : undefined;
const asked = all.filter(
  (mutant) =>
    (options.only?.includes(`${mutant.file}:${mutant.line}`) ?? true) &&
    (missed?.has(nameOf(mutant)) ?? true),
);
const drawn = shuffled(asked).slice(0, options.sample && DRAWN_FOR_EACH * Number(options.sample));
const typed = withoutTypeErrors(drawn.map((mutant, id) => ({ ...mutant, id })));
const mutants = options.sample ? typed.slice(0, Number(options.sample)) : typed;
say(
  `${all.length} mutants in ${sources.size} files, and ${every.length - all.length} that change no behavior; ${drawn.length} drawn, ${typed.length} of them compile, ${mutants.length} tried`,
);

const record = join(work, "record.jsonl");
/** The test files of the present run that have ended; vitest itself keeps those of earlier runs, too. */
const ended = [];
const order = new Map();
class InOrder {
  shard(files) {
    return files;
  }
  sort(files) {
    return files.toSorted((a, b) => (order.get(a.moduleId) ?? 0) - (order.get(b.moduleId) ?? 0));
  }
}
const vitest = await createVitest(
  "test",
  {
    root,
    config: false,
    watch: false,
    include: ["test/**/*.test.ts"],
    runner: join(root, "scripts/mutant-runner.mjs"),
    setupFiles: ["test/end-child-processes.ts", "scripts/mutant-switch.mjs"],
    globalSetup: ["test/build.ts", "test/postgres-run.ts"],
    reporters: [{ onTestModuleEnd: (module) => void ended.push(module) }],
    maxWorkers: 1,
    fileParallelism: false,
    isolate: false,
    passWithNoTests: true,
    testTimeout: 40_000,
    hookTimeout: 40_000,
    expect: { poll: { timeout: 10_000 } },
    sequence: { sequencer: InOrder },
    tags: Object.entries(FAULTS).map(([name, description]) => ({ name, description })),
  },
  {
    plugins: [
      {
        name: "mutants",
        enforce: "pre",
        // As in vitest.config.ts.
        load(id) {
          if (!id.endsWith(".sql")) return null;
          return `export default ${JSON.stringify(readFileSync(id, "utf8"))};`;
        },
        transform(_, id) {
          const file = relative(root, id.split("?")[0]);
          const own = mutants.filter((mutant) => mutant.file === file);
          return own.length > 0
            ? { code: withSwitches(sources.get(file), own), map: null }
            : undefined;
        },
      },
    ],
    server: { hmr: false, watch: null },
  },
);
const project = vitest.getRootProject();

/** Whether the tests pass while a mutant is on, or all of them when none is. */
async function runTests(
  specifications,
  { active, limit, batch, timeout = 20 * TIMEOUT, bail = 1 },
) {
  writeFileSync(record, "");
  project.provide("mutant", { active, limit, batch, seed, record });
  vitest.config.bail = bail;
  project.config.bail = bail;
  let isLate = false;
  const end = () => {
    isLate = true;
    for (const { pid } of recorded()) if (pid) kill(pid);
  };
  const timer =
    batch === undefined
      ? setTimeout(end, timeout)
      : setInterval(() => {
          if (Date.now() - statSync(record).mtimeMs > STUCK) end();
        }, 1_000);
  const began = performance.now();
  ended.length = 0;
  vitest.state.clearErrors();
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  clearTimeout(timer);
  const modules = [...ended];
  const failed = modules.filter((module) => !module.ok());
  return { failed, unhandledErrors, isLate, modules, took: performance.now() - began };
}

function failureOf(module) {
  const [test] = module.children.allTests("failed");
  const [error] = test?.result().errors ?? module.errors();
  const names = [relative(root, module.moduleId), ...(test ? [test.fullName] : [])];
  return `${names.join(" > ")}: ${stripVTControlCharacters(error?.message ?? "").split("\n")[0]}`;
}

/** By mutant: the test that caught it while the tests ran again and again in one process. */
async function tryInBatch() {
  const caught = new Map();
  const batch = join(work, "batch.json");
  const open = new Set(mutants.map(({ id }) => id).filter((id) => !loaded.has(id)));
  const limits = Object.fromEntries(mutants.map(({ id }) => [id, limitOf(id)]));
  const filesOfTests = new Map();
  const reached = new Map();
  for (const [id, files] of reaching)
    for (const [file, testIds] of open.has(id) ? files : [])
      for (const test of testIds) {
        filesOfTests.set(test, file);
        reached.set(test, [...(reached.get(test) ?? []), id]);
      }
  const files = new Set([...filesOfTests.values()]);
  const reachedBy = new Map();
  for (const [test, ids] of reached) {
    const file = filesOfTests.get(test);
    reachedBy.set(file, (reachedBy.get(file) ?? 0) + ids.length);
  }
  while (files.size > 0) {
    const left = [...reached].filter(([test]) => files.has(filesOfTests.get(test)));
    const ids = left.map(([test, own]) => [test, own.filter((id) => open.has(id))]);
    writeFileSync(batch, JSON.stringify({ reached: Object.fromEntries(ids), limits }));
    const specifications = [...files]
      .toSorted((a, b) => durations.get(a) / reachedBy.get(a) - durations.get(b) / reachedBy.get(b))
      .map((file, index) => {
        order.set(file, index);
        const testIds = left
          .map(([test]) => test)
          .filter((test) => filesOfTests.get(test) === file);
        return project.createSpecification(file, { testIds });
      });
    await runTests(specifications, { batch, bail: 0 });
    let tried;
    let isAny = false;
    for (const { trying, caught: id, by, message, done } of recorded()) {
      if (trying !== undefined) tried = trying;
      if (id !== undefined) caught.set(id, `${relative(root, filesOfTests.get(by))}: ${message}`);
      if (id !== undefined) open.delete(id);
      if (done) isAny = files.delete(done) || isAny;
    }
    // The mutant that ended or stopped the process.
    if (typeof tried === "number") open.delete(tried);
    else if (!isAny) break;
  }
  return caught;
}

function limitOf(id) {
  return 10_000 + (hits.get(id) ?? 0) * ENDLESS;
}

/** The test files that import a source, directly or not. */
function importersOf(file) {
  const { moduleGraph } = project.vite.environments.ssr;
  const open = [...(moduleGraph.getModulesByFile(join(root, file)) ?? [])];
  const seen = new Set(open);
  for (const module of open)
    for (const importer of module.importers)
      if (!seen.has(importer)) open.push(importer) && seen.add(importer);
  return testFiles.filter((test) => [...seen].some((module) => module.file === test));
}

function recorded() {
  return readFileSync(record, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

const testFiles = tests
  .flatMap((path) => filesIn(path, /\.test\.ts$/))
  .filter((file) => !LEFT_OUT.test(file))
  .map((file) => join(root, file));
const before = await runTests(
  testFiles.map((file) => project.createSpecification(file)),
  { bail: 0 },
);
/** Test files that cannot be used, and single tests of others, such as measurements of time. */
const broken = new Set();
const brokenTests = new Set();
for (const module of before.failed) {
  const tests = [...module.children.allTests("failed")];
  if (tests.length === 0) broken.add(module.moduleId);
  for (const { id } of tests) brokenTests.add(id);
}
const unused = before.failed.map(
  (module) => `not used, because it fails without mutants: ${failureOf(module)}`,
);
const passing = new Map(
  before.modules.map((module) => [
    module.moduleId,
    [...module.children.allTests("passed")].map(({ id }) => id),
  ]),
);
for (const line of unused) say(line);
const durations = new Map(
  before.modules.map((module) => [module.moduleId, module.diagnostic().duration]),
);
/** By mutant: the test files that reach it, with the tests that do; without those, all of the file. */
const reaching = new Map(mutants.map(({ id }) => [id, new Map()]));
const hits = new Map();
/** Reached while modules are loaded, which matters to each test of the module. */
const loaded = new Set();
for (const { file, reached } of recorded().filter(
  (report) => report.file && !broken.has(report.file),
))
  for (const [test, counts] of reached.filter(([test]) => !brokenTests.has(test)))
    for (const [id, count] of counts) {
      const files = reaching.get(id);
      files.set(file, [...(files.get(file) ?? []), test]);
      hits.set(id, (hits.get(id) ?? 0) + count);
      if (test === "") loaded.add(id);
    }
for (const { id, file } of mutants.filter((mutant) => loaded.has(mutant.id)))
  for (const test of importersOf(file)) if (!broken.has(test)) reaching.get(id).set(test, [""]);
say(`${testFiles.length} test files pass in ${(before.took / 1_000).toFixed(0)} s`);

const inBatch = await tryInBatch();
say(`${inBatch.size} of ${mutants.length} caught in one process`);

/** Test files by the number of mutants of a source that they caught. */
const caughtBy = new Map();
const results = [];
for (const [place, mutant] of mutants.entries()) {
  const files = reaching.get(mutant.id);
  const credit = (file) => caughtBy.get(`${mutant.file} ${file}`) ?? 0;
  const names = [...files.keys()].sort(
    (a, b) => credit(b) - credit(a) || durations.get(a) - durations.get(b),
  );
  order.clear();
  for (const [index, file] of names.entries()) order.set(file, index);
  let verdict = "unreached";
  let took = 0;
  let by = inBatch.get(mutant.id);
  if (by !== undefined) verdict = "caught";
  else if (options.screen && names.length > 0) {
    if (loaded.has(mutant.id)) continue;
    verdict = "survived";
  } else if (names.length > 0) {
    const limit = limitOf(mutant.id);
    const testsOf = (file) => {
      const testIds = files.get(file);
      const isWhole = testIds.includes("") || durations.get(file) < LONG;
      return isWhole ? passing.get(file) : testIds;
    };
    const specifications = names.map((file) =>
      project.createSpecification(file, { testIds: testsOf(file) }),
    );
    const wanted = names.reduce((sum, file) => sum + testsOf(file).length, 0);
    const usual = names.reduce((sum, file) => sum + durations.get(file), 0);
    const timeout = Math.max(TIMEOUT, SLOWER * usual);
    let run;
    // A worker that could not be started, or a run that was cancelled by the end of the one before, says nothing.
    for (let turn = 0; turn < TRIES; turn++) {
      run = await runTests(specifications, { active: mutant.id, limit, timeout });
      const passed = run.modules.flatMap((module) => [...module.children.allTests("passed")]);
      if (run.isLate || run.failed.length > 0 || passed.length >= wanted) break;
    }
    took = run.took;
    by = run.failed.map(failureOf)[0] ?? run.unhandledErrors[0]?.message;
    verdict = by === undefined ? "survived" : run.isLate ? "endless" : "caught";
    for (const { moduleId } of run.failed.slice(0, 1)) {
      const key = `${mutant.file} ${moduleId}`;
      caughtBy.set(key, (caughtBy.get(key) ?? 0) + 1);
    }
  }
  results.push({ ...mutant, verdict, by, ms: Math.round(took) });
  const where = `${mutant.file}:${mutant.line}`;
  say(`${place + 1} of ${mutants.length}: ${where} ${verdict}${by ? ` by ${by}` : ""}`);
}
await vitest.close();
say("");

for (const result of results.filter(isMissed).sort(byPlace)) {
  const { file, line, kind, start, end, text, verdict } = result;
  console.log(`${file}:${line} ${verdict} (${kind})`);
  console.log(`  - ${short(sources.get(file).slice(start, end))}\n  + ${short(text)}`);
}
const folders = Map.groupBy?.(results, folderOf) ?? groupBy(results, folderOf);
console.log(
  "\n| folder | mutants | caught | survived | unreached | score |\n|---|---|---|---|---|---|",
);
for (const [folder, own] of [
  ...[...folders].sort(([a], [b]) => (a < b ? -1 : 1)),
  ["all", results],
]) {
  const count = (verdict) => own.filter((result) => result.verdict === verdict).length;
  const missed = own.filter(isMissed).length;
  const score = (((own.length - missed) / Math.max(1, own.length)) * 100).toFixed(1);
  console.log(
    `| ${folder} | ${own.length} | ${own.length - missed} | ${count("survived")} | ${count("unreached")} | ${score} % |`,
  );
}
for (const line of unused) console.log(line);
if (options.json) writeFileSync(options.json, JSON.stringify(results, null, 1));

/** Mutants that the type checker refuses are no mistakes that could be made. */
function withoutTypeErrors(drawn) {
  cpSync(join(root, "src"), join(work, "src"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(work, "node_modules"), "junction");
  cpSync(join(root, "package.json"), join(work, "package.json"));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const copyOf = ({ file, id }) => file.replace(/\.ts$/, `.mutant-${id}.ts`);
  for (const mutant of drawn)
    writeFileSync(join(work, copyOf(mutant)), mutated(sources.get(mutant.file), mutant));
  // Types are only checked when there are no syntax errors.
  for (let left = drawn, hasSyntaxErrors = true; ; ) {
    if (!hasSyntaxErrors) return left;
    const config = {
      compilerOptions: { ...compilerOptions, allowUnreachableCode: true },
      files: left.map(copyOf),
    };
    writeFileSync(join(work, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const args = [tsc, "--noEmit", "--pretty", "false"];
    const { stdout } = spawnSync(process.execPath, args, {
      cwd: work,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    const errors = [...stdout.matchAll(/\.mutant-(\d+)\.ts\([^)]*\): error TS(\d+)/g)];
    const refused = new Set(errors.map(([, id]) => Number(id)));
    left = left.filter(({ id }) => !refused.has(id));
    hasSyntaxErrors = errors.some(([, , code]) => code.length === 4 && code.startsWith("1"));
  }
}

function filesIn(path, name) {
  const full = resolve(root, path);
  if (statSync(full).isFile()) return [relative(root, full)];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function isMissed({ verdict }) {
  return verdict === "survived" || verdict === "unreached";
}

function nameOf({ file, start, end, text }) {
  return `${file} ${start} ${end} ${text}`;
}

function folderOf({ file }) {
  return file
    .split("/")
    .slice(0, 3)
    .join("/")
    .replace(/\/[^/]+\.ts$/, "");
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function byPlace(a, b) {
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1;
}

function short(text) {
  const line = text.replace(/\s+/g, " ");
  return line.length > 140 ? `${line.slice(0, 140)}…` : line;
}

/** In an order that depends on the seed; a change of one file does not change the order of the others. */
function shuffled(items) {
  const hash = (text) => createHash("sha256").update(text).digest("hex");
  return items
    .map((item) => ({ item, key: hash(`${seed} ${nameOf(item)}`) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item);
}
