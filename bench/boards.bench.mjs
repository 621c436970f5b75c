// The board with 1,000 tracks: what a frame costs, and what it costs when nothing happens.
import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, table } from "./measure.mjs";

const TRACKS = Number(process.env.BENCH_TRACKS ?? 1_000);
const program = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));

export async function run() {
  table([...(await frameRows()), ...(await idleRows())]);
}

async function frameRows() {
  const [{ render }, { createElement }, { createTracker }, { Board }] = await Promise.all([
    import("ink"),
    import("react"),
    import("waymark"),
    import("waymark/ink"),
  ]);
  const tracker = createTracker();
  const tracks = Array.from({ length: TRACKS }, (_, place) => {
    const list = tracker.list({ session: `s${place}`, agent: "main" }, { title: `Track ${place}` });
    list.set([
      { text: "Read it", status: "completed" },
      { text: "Write it", status: place % 4 === 0 ? "in_progress" : "pending" },
      { text: "Test it", status: "pending" },
    ]);
    return list.read();
  });
  return ["80x24", "120x40", "200x50"].map((size) => {
    const [columns, rows] = size.split("x").map(Number);
    const stdout = Object.assign(new EventEmitter(), { columns, rows, write: () => true });
    const frame = (now) => createElement(Board, { tracks, width: columns, height: rows - 1, now });
    const begun = Date.now();
    const app = render(frame(begun), { stdout, debug: true, patchConsole: false });
    const times = Array.from({ length: 40 }, (_, place) => {
      const start = performance.now();
      app.rerender(frame(begun + Math.floor(place / 6) * 1_000));
      return performance.now() - start;
    });
    app.unmount();
    return { what: `frame at ${size}, ${TRACKS} tracks`, median: `${median(times).toFixed(1)} ms` };
  });
}

/** Processor time of the program on a real terminal while nobody works. */
async function idleRows() {
  if (process.platform !== "linux") return [];
  const root = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  const folder = join(root, ".claude/projects/-srv-bench");
  mkdirSync(folder, { recursive: true });
  const at = new Date(Date.now() - 3_600_000).toISOString();
  for (let place = 0; place < TRACKS; place++) {
    const sessionId = `${String(place).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const record = {
      type: "user",
      uuid: "u",
      timestamp: at,
      cwd: "/srv/bench",
      sessionId,
      version: "2.1.325",
    };
    const message = { role: "user", content: `Work on part ${place}` };
    writeFileSync(
      join(folder, `${sessionId}.jsonl`),
      `${JSON.stringify({ ...record, message })}\n`,
    );
  }
  const pidFile = join(root, "pid");
  const inner = `stty cols 120 rows 40; echo $$ > "${pidFile}"; exec "${process.execPath}" "${program}"`;
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    WAYMARK_HOME: join(root, "w"),
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
  };
  const child = spawn("script", ["-qefc", inner, "/dev/null"], {
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  let bytes = 0;
  child.stdout.on("data", (chunk) => {
    bytes += chunk.length;
  });
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  await sleep(8_000);
  const ticks = () => {
    const stat = readFileSync(`/proc/${readFileSync(pidFile, "utf8").trim()}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };
  const [before, written] = [ticks(), bytes];
  const LOOK = 20_000;
  await sleep(LOOK);
  const used = ((ticks() - before) * 10) / LOOK;
  const wrote = bytes - written;
  child.stdin.write("q");
  await new Promise((resolve) => child.once("close", resolve));
  rmSync(root, { recursive: true, force: true });
  return [
    { what: `idle board, ${TRACKS} tracks: processor`, median: `${(used * 100).toFixed(2)} %` },
    { what: "idle board: bytes written in 20 s", median: String(wrote) },
  ];
}
