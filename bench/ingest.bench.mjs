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

/** Runs a command; its milliseconds from start to end, and what it said. */
function timed(command, args, env = process.env, stdout = "pipe") {
  const options = { encoding: "utf8", env, stdio: ["ignore", stdout, "pipe"] };
  const start = performance.now();
  const { status, stdout: said, stderr } = spawnSync(command, args, options);
  const taken = performance.now() - start;
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}: ${stderr}`);
  return { taken, stdout: said, stderr };
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

/** Medians of several commands, taken in turns so that all see the same machine. */
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
    /** Nothing is known, and what is learnt is kept. */
    const anewIn = (env, ...before) => {
      rmSync(own, { recursive: true, force: true });
      return listIn(env, ...before);
    };
    const load = () => loadavg()[0].toFixed(1);
    const before = load();

    // Once before, so that every file is in memory.
    const whole = JSON.parse(start("whole", home).stdout);
    start("last", long.path, long.session);

    const read = inTurns(
      {
        first: () => anewIn(env),
        ...(bare && { bare: () => anewIn(bare) }),
        // To look at its memory takes time, too.
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
    const alike = first / read.ms("needles");
    const counted = first / read.ms("counter");
    const parsed = read.ms("parse") / first;
    const same = kept.digest === whole.digest;
    const { writes, tracks } = kept;
    const again = starts.ms("list") / starts.ms("node");
    const last = starts.ms("last") - starts.ms("node");
    const most = read.peak("watched");
    console.log(
      `${SET.sessions} sessions with ${tracks} agents, ${SET.size / 1e6} MB, ${writes} lists; load ${before} before, ${load()} after\n`,
    );
    table([
      {
        what: `${counter.name}: lines with TodoWrite`,
        figure: ms(read.ms("counter")),
        ratio: "1.00",
        target: "",
      },
      {
        what: `${counter.name}: lines that the index looks for, all needles`,
        figure: ms(read.ms("needles")),
        ratio: `${(read.ms("needles") / read.ms("counter")).toFixed(1)} x ${counter.name}`,
        target: "",
      },
      {
        what: "cat: every byte, to nowhere",
        figure: ms(read.ms("cat")),
        ratio: `${(read.ms("cat") / read.ms("counter")).toFixed(1)} x ${counter.name}`,
        target: "",
      },
      {
        what: "floor: Node reads every byte and looks for TodoWrite, on one thread",
        figure: ms(read.ms("search")),
        ratio: `${(read.ms("search") / read.ms("counter")).toFixed(1)} x ${counter.name}`,
        target: "",
      },
      {
        what: "floor: Node reads every byte and does nothing with it, on all threads",
        figure: ms(read.ms("read")),
        ratio: `${(read.ms("read") / read.ms("counter")).toFixed(1)} x ${counter.name}`,
        target: "",
      },
      {
        what: "floor: the same, and all needles are looked for, but no line is parsed",
        figure: ms(read.ms("sieve")),
        ratio: `${(read.ms("sieve") / read.ms("counter")).toFixed(1)} x ${counter.name}`,
        target: "",
      },
      {
        what: `first index: waymark ls --json, to ${counter.name} for the lines that the index looks for`,
        figure: ms(first),
        ratio: `${alike.toFixed(1)} x ${counter.name}`,
        target: `at most 6: ${verdict(alike <= 6)}`,
      },
      {
        what: `the same, to ${counter.name} for lines with TodoWrite`,
        figure: ms(first),
        ratio: `${counted.toFixed(1)} x ${counter.name}`,
        target: `at most 6: ${verdict(counted <= 6)}`,
      },
      {
        what: "readline and JSON.parse of every line",
        figure: ms(read.ms("parse")),
        ratio: `${parsed.toFixed(1)} x first index`,
        target: `at least 6: ${verdict(parsed >= 6)}`,
      },
      {
        what: "peak memory of the first index",
        figure: `${most.toFixed(0)} MB`,
        ratio: "",
        target: `at most 150 MB: ${verdict(most <= 150)}`,
      },
      {
        what: "the same lists, plans and modes as with every line read",
        figure: same ? "yes" : "no",
        ratio: "",
        target: `yes: ${verdict(same)}`,
      },
      { what: "start: node -e 0", figure: ms(starts.ms("node")), ratio: "1.00", target: "" },
      {
        what: "second start: waymark ls --json",
        figure: ms(starts.ms("list")),
        ratio: `${again.toFixed(2)} x node -e 0`,
        target: `at most 1.5: ${verdict(again <= 1.5)}`,
      },
      {
        what: "last list of a session of 1 GB, beyond node -e 0",
        figure: ms(last),
        ratio: "",
        target: `at most 60 ms: ${verdict(last <= 60)}`,
      },
    ]);
    if (bare) {
      note("Without the certificates of NODE_EXTRA_CA_CERTS:");
      const first = read.ms("bare");
      const [alike, counted] = [first / read.ms("needles"), first / read.ms("counter")];
      const again = starts.ms("bareList") / starts.ms("bareNode");
      table([
        { what: "start: node -e 0", figure: ms(starts.ms("bareNode")), ratio: "1.00", target: "" },
        {
          what: `first index, to ${counter.name} for the lines that the index looks for`,
          figure: ms(first),
          ratio: `${alike.toFixed(1)} x ${counter.name}`,
          target: `at most 6: ${verdict(alike <= 6)}`,
        },
        {
          what: `the same, to ${counter.name} for lines with TodoWrite`,
          figure: ms(first),
          ratio: `${counted.toFixed(1)} x ${counter.name}`,
          target: `at most 6: ${verdict(counted <= 6)}`,
        },
        {
          what: "second start",
          figure: ms(starts.ms("bareList")),
          ratio: `${again.toFixed(2)} x node -e 0`,
          target: `at most 1.5: ${verdict(again <= 1.5)}`,
        },
      ]);
    }
    if (!same) throw new Error("Scanning misses what reading every line finds");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
