// The usage of every recording and of the generated sessions, compared with ccusage on the same files.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, note, table } from "./measure.mjs";
import { NOT_INSTALLED, peerProgram, titled } from "./peers/brought.mjs";
import { SET, transcriptHome } from "./transcripts.mjs";

const program = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));
const fixtures = fileURLToPath(new URL("../test/fixtures/usage/", import.meta.url));
const ROUNDS = 3;
/** Variables that name other directories than those below HOME. */
const DIRECTORIES = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];

/** Why ccusage has other sums, by recording. */
const REASONS = {
  "Codex subagent":
    "the files have nine requests, each with its own response id; ccusage counts eight",
};

export async function run() {
  const peer = peerProgram("ccusage");
  if (peer === undefined) return note(`ccusage is ${NOT_INSTALLED}`);
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  const own = join(folder, "own");
  const ours = (home) => {
    rmSync(own, { recursive: true, force: true });
    return runIn(home, own, [program, "cost", "--by", "session", "--json"]);
  };
  const theirs = (home, agent) => runIn(home, own, [peer, agent, "session", "--json", "--offline"]);
  try {
    table(
      recordings().map((recording, index) => {
        const home = join(folder, String(index));
        copyTo(home, recording.files);
        const found = ourSums(ours(home).printed);
        const expected = text(recording.total);
        return {
          recording: recording.name,
          "by hand": expected,
          waymark: `${text(found)}${text(found) === expected ? "" : ": wrong"}`,
          ...compared(found, recording, (agent) => theirs(home, agent)),
        };
      }),
    );
    note("Tokens: input / output / cache read / cache write.");
    compareGenerated(ours, theirs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function recordings() {
  return JSON.parse(readFileSync(join(fixtures, "totals.json"), "utf8"));
}

function copyTo(home, files) {
  for (const [fixture, path] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    cpSync(join(fixtures, fixture), join(home, path));
  }
}

/** Runs a program in another home directory; returns its JSON and its wall time in milliseconds. */
function runIn(home, own, args) {
  const env = { ...process.env, HOME: home, WAYMARK_HOME: own, NO_COLOR: "1" };
  for (const name of DIRECTORIES) delete env[name];
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env,
    maxBuffer: 64e6,
  });
  const taken = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return { printed: JSON.parse(stdout), taken };
}

function ourSums({ total: { input, output, cacheRead, cacheWrite } }) {
  return { input, output, cacheRead, cacheWrite };
}

function theirSums({ totals }) {
  return {
    input: totals.inputTokens,
    output: totals.outputTokens,
    cacheRead: totals.cacheReadTokens,
    cacheWrite: totals.cacheCreationTokens,
  };
}

function text({ input, output, cacheRead, cacheWrite }) {
  return [input, output, cacheRead, cacheWrite].join(" / ");
}

function compared(found, { name, ccusage }, read) {
  if (ccusage === undefined) return { ccusage: "does not read it" };
  const sums = text(theirSums(read(ccusage).printed));
  return {
    ccusage: sums,
    verdict: sums === text(found) ? "equal" : (REASONS[name] ?? "differs without a known reason"),
  };
}

/** Many sessions of one agent: the same sums, and the time for them. */
function compareGenerated(ours, theirs) {
  const home = transcriptHome();
  const runs = Array.from({ length: ROUNDS }, () => [ours(home), theirs(home, "claude")]);
  const [[first, other]] = runs;
  const [mine, its] = [0, 1].map((index) => median(runs.map((each) => each[index].taken)));
  table([
    {
      what: `${SET.sessions} sessions, ${SET.size / 1e6} MB, nothing read before: waymark cost`,
      tokens: text(ourSums(first.printed)),
      time: `${mine.toFixed(0)} ms`,
      ratio: `${(mine / its).toFixed(2)} x`,
    },
    {
      what: titled("ccusage"),
      tokens: text(theirSums(other.printed)),
      time: `${its.toFixed(0)} ms`,
      ratio: "1.00",
    },
  ]);
  const { equal, unread, rest } = sessionsOf(home, first.printed, other.printed);
  note(
    `${equal} sessions are equal. ${unread} differ exactly by the lines that ccusage does not read: white space after a colon, or half of a surrogate pair. ${rest} differ otherwise.`,
  );
}

/** How many sessions are equal, differ by lines that ccusage does not read, or differ otherwise. */
function sessionsOf(home, ours, theirs) {
  const inputs = new Map(theirs.sessions.map((each) => [each.sessionId, each.inputTokens]));
  const counts = { equal: 0, unread: 0, rest: 0 };
  const projects = join(home, ".claude", "projects");
  const files = readdirSync(projects, { recursive: true, encoding: "utf8" });
  for (const { session, usage } of ours.rows) {
    const missing = usage.input - (inputs.get(session) ?? 0);
    if (missing === 0) counts.equal++;
    else {
      const own = files.filter((file) => file.includes(session) && file.endsWith(".jsonl"));
      const lines = own
        .flatMap((file) => readFileSync(join(projects, file), "utf8").split("\n"))
        .filter((line) => line.includes('"output_tokens"'));
      counts[missing === inputOf(lines.filter(isUnread)) ? "unread" : "rest"]++;
    }
  }
  return counts;
}

function isUnread(line) {
  let isWellFormed = true;
  JSON.parse(line, (_, value) => {
    if (typeof value === "string") isWellFormed &&= value.isWellFormed();
    return value;
  });
  return !isWellFormed || line.includes('"output_tokens": ');
}

function inputOf(lines) {
  return lines.reduce((sum, line) => sum + JSON.parse(line).message.usage.input_tokens, 0);
}
