// The boards with 1,000 tracks: cost of a frame and of an idle board, latency from an agent's line
// to the screen, and resources of the server and its page.
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { median, table } from "./measure.mjs";

const TRACKS = Number(process.env.BENCH_TRACKS ?? 1_000);
const APPENDS = Number(process.env.BENCH_APPENDS ?? 60);
const IDLE_SECONDS = Number(process.env.BENCH_IDLE ?? 60);
const program = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));
const page = fileURLToPath(new URL("../dist/web/app.js", import.meta.url));

const verdict = (met) => (met ? "met" : "missed");
const most = (limit, unit, value) => `at most ${limit} ${unit}: ${verdict(value <= limit)}`;
const ms = (value) => `${value.toFixed(1)} ms`;

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    const paths = makeHome(root);
    const rows = [...(await frameRows()), ...pageRows()];
    if (process.platform === "linux")
      rows.push(...(await terminalRows(root, paths)), ...(await serveRows(root)));
    console.log(`load average of the last minute: ${loadavg()[0]?.toFixed(1)}\n`);
    table(rows);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Cost of each frame for a program that draws `<Board>`. */
async function frameRows() {
  process.env.NODE_ENV = "production";
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
    const times = Array.from({ length: 60 }, (_, place) => {
      const start = process.cpuUsage();
      app.rerender(frame(begun + Math.floor(place / 6) * 1_000));
      return process.cpuUsage(start).user / 1_000;
    });
    app.unmount();
    const figure = median(times);
    return {
      what: `a frame of <Board>, ${TRACKS} tracks, ${size}: processor`,
      figure: ms(figure),
      target: most(100, "ms", figure),
    };
  });
}

function pageRows() {
  const size = gzipSync(readFileSync(page)).length / 1_000;
  return [
    {
      what: "script of the page, compressed",
      figure: `${size.toFixed(1)} kB`,
      target: most(120, "kB", size),
    },
  ];
}

/** Sessions that ended an hour ago, each with a list. */
function makeHome(root) {
  const hour = new Date(Date.now() - 3_600_000);
  return Array.from({ length: TRACKS }, (_, place) => {
    const folder = join(root, ".claude/projects", `-srv-p${place % 40}`);
    mkdirSync(folder, { recursive: true });
    const session = `${String(place).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const path = join(folder, `${session}.jsonl`);
    writeFileSync(path, written(session, `Part ${place}`, hour, "end_turn"));
    utimesSync(path, hour, hour);
    return { path, session };
  });
}

function written(session, text, at, stop = "tool_use") {
  const id = `toolu_${text.replaceAll(" ", "_")}`;
  const todos = [{ content: text, status: "in_progress", activeForm: text }];
  const line = (type, message, more) =>
    JSON.stringify({
      parentUuid: null,
      isSidechain: false,
      cwd: "/srv/bench",
      sessionId: session,
      version: "2.1.325",
      type,
      message: { role: type, ...message },
      uuid: `${id}-${type}-${stop}`,
      timestamp: at.toISOString(),
      ...more,
    });
  const call = { type: "tool_use", id, name: "TodoWrite", input: { todos } };
  const answer = { type: "tool_result", tool_use_id: id, content: "ok" };
  const lines = [
    line("assistant", { id, model: "m", content: [call], stop_reason: "tool_use" }),
    line("user", { content: [answer] }, { toolUseResult: { newTodos: todos } }),
  ];
  if (stop === "end_turn")
    lines.push(
      line("assistant", {
        id: `${id}e`,
        content: [{ type: "text", text: "." }],
        stop_reason: stop,
      }),
    );
  return `${lines.join("\n")}\n`;
}

const envOf = (root) => ({
  PATH: process.env.PATH,
  HOME: root,
  WAYMARK_HOME: join(root, "w"),
  SHELL: "/bin/sh",
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
});

/** The program on a real terminal, with the arrival time of its bytes. */
function openBoard(root) {
  const pidFile = join(root, "pid");
  const inner = `stty cols 120 rows 40; echo $$ > "${pidFile}"; exec "${process.execPath}" "${program}"`;
  const child = spawn("script", ["-qefc", inner, "/dev/null"], {
    env: envOf(root),
    stdio: ["pipe", "pipe", "ignore"],
  });
  let bytes = 0;
  let tail = "";
  let wanted;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    bytes += text.length;
    tail = (tail + text).slice(-20_000);
    if (wanted && tail.includes(wanted.text)) {
      wanted.seen(performance.now());
      wanted = undefined;
    }
  });
  return {
    bytes: () => bytes,
    /** The time at which the text was sent to the terminal. */
    shows(text) {
      tail = "";
      return new Promise((seen) => {
        wanted = { text, seen };
      });
    },
    pid: () => Number(readFileSync(pidFile, "utf8")),
    async quit() {
      child.stdin.write("q");
      await once(child, "close");
    },
  };
}

function ticksOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

async function firstList(root) {
  const start = performance.now();
  const board = openBoard(root);
  // The newest session is read first.
  const taken = (await board.shows("Part ")) - start;
  return { board, taken };
}

async function terminalRows(root, paths) {
  const cold = await firstList(root);
  await setTimeout(3_000);
  await cold.board.quit();
  const { board, taken } = await firstList(root);
  await setTimeout(10_000);
  const pid = board.pid();
  const [before, sent] = [ticksOf(pid), board.bytes()];
  await setTimeout(IDLE_SECONDS * 1_000);
  const idle = (ticksOf(pid) - before) / IDLE_SECONDS;
  const idleBytes = board.bytes() - sent;
  const memory = memoryOf(pid);
  const delays = [];
  const { path, session } = paths[0];
  for (let count = 0; count < APPENDS; count++) {
    const text = `Shelf ${count} of many`;
    const seen = board.shows(text);
    const start = performance.now();
    appendFileSync(path, written(session, text, new Date()));
    delays.push((await seen) - start);
    await setTimeout(250 + Math.random() * 200);
  }
  await board.quit();
  const p95 = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)];
  const late = p95(delays);
  const least = await leastDelays(root);
  return [
    { what: `first list, nothing read before`, figure: ms(cold.taken), target: "" },
    { what: "first list, sessions known", figure: ms(taken), target: most(1_000, "ms", taken) },
    {
      what: `idle board, ${TRACKS} tracks: processor`,
      figure: `${idle.toFixed(2)} %`,
      target: `under 1 %: ${verdict(idle < 1)}`,
    },
    { what: `idle board: bytes in ${IDLE_SECONDS} s`, figure: String(idleBytes), target: "" },
    { what: "board: memory", figure: `${memory.toFixed(0)} MB`, target: "" },
    {
      what: "append to a program that only looks: median, p95",
      figure: `${ms(median(least))}, ${ms(p95(least))}`,
      target: "",
    },
    { what: "append to terminal: median", figure: ms(median(delays)), target: "" },
    { what: "append to terminal: p95", figure: ms(late), target: most(100, "ms", late) },
  ];
}

/** The lower bound: a program that watches one file and prints that it changed. */
async function leastDelays(root) {
  const path = join(root, "least");
  writeFileSync(path, "");
  const code = `
    const { watch, readFileSync, writeSync } = require("node:fs");
    watch(${JSON.stringify(path)}, () => writeSync(1, readFileSync(${JSON.stringify(path)}, "utf8").slice(-40)));
    writeSync(1, "ready");`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "ignore"] });
  let seen = () => undefined;
  let wanted = "ready";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    if (text.includes(wanted)) seen(performance.now());
  });
  const shows = (text) =>
    new Promise((resolve) => {
      wanted = text;
      seen = resolve;
    });
  await shows("ready");
  const delays = [];
  for (let count = 0; count < APPENDS; count++) {
    const shown = shows(`line ${count}.`);
    const start = performance.now();
    appendFileSync(path, `line ${count}.\n`);
    delays.push((await shown) - start);
    await setTimeout(50 + Math.random() * 50);
  }
  child.kill();
  return delays;
}

async function serveRows(root) {
  const child = spawn(process.execPath, [program, "serve", "--port", "0", "--no-open", "--json"], {
    env: envOf(root),
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  await setTimeout(5_000);
  const memory = memoryOf(child.pid);
  child.kill("SIGTERM");
  await once(child, "close");
  return [
    { what: `serve, ${TRACKS} tracks: memory`, figure: `${memory.toFixed(0)} MB`, target: "" },
  ];
}
