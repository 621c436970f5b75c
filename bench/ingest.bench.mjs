import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { median, note, table, withoutCertificates } from "./measure.mjs";
import { lineCounter } from "./ripgrep.mjs";
import { longSession, SET, transcriptHome } from "./transcripts.mjs";

const program = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));
const peak = fileURLToPath(new URL("peak.cjs", import.meta.url));
const ROUNDS = 7;

async function bundleChild(folder) {
  const outfile = join(folder, "child.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("ingest-child.mjs", import.meta.url))],
    outfile,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql"],
    logLevel: "warning",
  });
  return outfile;
}

/** Runs a command; returns its wall time in milliseconds and its output. */
function timed(command, args, env = process.env, stdout = "pipe") {
  const options = { encoding: "utf8", env, stdio: ["ignore", stdout, "pipe"] };
  const start = performance.now();
  const { status, stdout: printed, stderr } = spawnSync(command, args, options);
  const taken = performance.now() - start;
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}: ${stderr}`);
  return { taken, stdout: printed, stderr };
}

/** Every session file. */
function filesIn(home) {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(home, name));
}

/** The same lines for another program: those with one of the needles, or with all words of it. */
function patternsOf(needles) {
  const quoted = (word) => word.replace(/[^\w"]/g, "\\$&");
  return needles.flatMap((needle) => ["-e", [needle].flat().map(quoted).join(".*")]);
}

/** Medians of several commands, run in turns so that all see the same machine. */
function inTurns(commands, rounds) {
  const runs = new Map(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, run] of Object.entries(commands)) runs.get(name).push(run());
  return {
    ms: (name) => median(runs.get(name).map(({ taken }) => taken)),
    peak: (name) => median(runs.get(name).map(({ stderr }) => JSON.parse(stderr).peak)),
  };
}

const ms = (figure) => `${figure.toFixed(0)} ms`;
const verdict = (met) => (met ? "met" : "missed");
const atMost = (most, { ratio, row }) => ({
  ...row,
  target: `at most ${most}: ${verdict(ratio <= most)}`,
});

export async function run() {
  const home = transcriptHome();
  const long = longSession();
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    const child = await bundleChild(folder);
    const own = join(folder, "home");
    const start = (...args) => timed(process.execPath, [child, ...args]);
    const counter = lineCounter();
    const patterns = patternsOf(JSON.parse(start("needles").stdout));
    const files = filesIn(home);
    const env = { ...process.env, HOME: home, WAYMARK_HOME: own };
    const bare = withoutCertificates(env);
    const listIn = (env, ...before) =>
      timed(process.execPath, [...before, program, "ls", "--json"], env);
    /** Starts without an index and writes one. */
    const anewIn = (env, ...before) => {
      rmSync(own, { recursive: true, force: true });
      return listIn(env, ...before);
    };
    const load = () => loadavg()[0].toFixed(1);
    const before = load();

    // One run before, so that every file is in memory.
    const whole = JSON.parse(start("whole", home).stdout);
    start("last", long.path, long.session);

    const read = inTurns(
      {
        first: () => anewIn(env),
        ...(bare && { bare: () => anewIn(bare) }),
        // Sampling its memory takes time, too.
        watched: () => anewIn(env, "--require", peak),
        cat: () => timed("cat", files, process.env, "ignore"),
        counter: () => timed(counter.command, [...counter.args, "TodoWrite", home]),
        needles: () => timed(counter.command, [...counter.args, ...patterns, home]),
        search: () => start("search", home),
        read: () => start("read", home),
        sieve: () => start("sieve", home),
        parse: () => start("parse", home),
      },
      ROUNDS,
    );
    const kept = JSON.parse(start("list", home, join(own, "index.json")).stdout);
    const starts = inTurns(
      {
        node: () => timed(process.execPath, ["-e", "0"], env),
        list: () => listIn(env),
        ...(bare && {
          bareNode: () => timed(process.execPath, ["-e", "0"], bare),
          bareList: () => listIn(bare),
        }),
        last: () => start("last", long.path, long.session),
      },
      15,
    );

    const first = read.ms("first");
    const parsed = read.ms("parse") / first;
    const same = kept.digest === whole.digest;
    const { writes, tracks } = kept;
    const last = starts.ms("last") - starts.ms("node");
    const most = read.peak("watched");
    const toCounter = (what, figure, base = "counter") => {
      const ratio = figure / read.ms(base);
      return {
        ratio,
        row: { what, figure: ms(figure), ratio: `${ratio.toFixed(1)} x ${counter.name}` },
      };
    };
    const plain = (what, name) => toCounter(what, read.ms(name)).row;
    const indexRows = (what, name) => [
      atMost(
        6,
        toCounter(
          `${what}, to ${counter.name} for the lines that the index looks for`,
          read.ms(name),
          "needles",
        ),
      ),
      atMost(6, toCounter(`the same, to ${counter.name} for lines with TodoWrite`, read.ms(name))),
    ];
    const startRow = (what, name) => ({ what, figure: ms(starts.ms(name)), ratio: "1.00" });
    const againRow = (what, name, base) => {
      const ratio = starts.ms(name) / starts.ms(base);
      const row = { what, figure: ms(starts.ms(name)), ratio: `${ratio.toFixed(2)} x node -e 0` };
      return atMost(1.5, { ratio, row });
    };
    console.log(
      `${SET.sessions} sessions with ${tracks} agents, ${SET.size / 1e6} MB, ${writes} lists; load ${before} before, ${load()} after\n`,
    );
    table([
      { ...plain(`${counter.name}: lines with TodoWrite`, "counter"), ratio: "1.00" },
      plain(`${counter.name}: lines that the index looks for, all needles`, "needles"),
      plain("cat: every byte, to nowhere", "cat"),
      plain("floor: Node reads every byte and looks for TodoWrite, on one thread", "search"),
      plain("floor: Node reads every byte and does nothing with it, on all threads", "read"),
      plain("floor: the same, and all needles are looked for, but no line is parsed", "sieve"),
      ...indexRows("first index: waymark ls --json", "first"),
      {
        what: "readline and JSON.parse of every line",
        figure: ms(read.ms("parse")),
        ratio: `${parsed.toFixed(1)} x first index`,
        target: `at least 6: ${verdict(parsed >= 6)}`,
      },
      {
        what: "peak memory of the first index",
        figure: `${most.toFixed(0)} MB`,
        target: `at most 150 MB: ${verdict(most <= 150)}`,
      },
      {
        what: "the same lists, plans, modes and usage as with every line read",
        figure: same ? "yes" : "no",
        target: `yes: ${verdict(same)}`,
      },
      startRow("start: node -e 0", "node"),
      againRow("second start: waymark ls --json", "list", "node"),
      {
        what: "last list of a session of 1 GB, beyond node -e 0",
        figure: ms(last),
        target: `at most 60 ms: ${verdict(last <= 60)}`,
      },
    ]);
    if (bare) {
      note("Without the certificates of NODE_EXTRA_CA_CERTS:");
      table([
        startRow("start: node -e 0", "bareNode"),
        ...indexRows("first index", "bare"),
        againRow("second start", "bareList", "bareNode"),
      ]);
    }
    if (!same) throw new Error("Scanning misses what reading every line finds");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
