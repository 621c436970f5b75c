// The page in a real browser, with 500 working sessions and 30 updates a second: how busy its main thread is, tasks
// that delay input, and frames that are dropped while scrolling.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openChromium } from "../scripts/browser.mjs";
import { table } from "./measure.mjs";

const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 500);
const RATE = Number(process.env.BENCH_RATE ?? 30);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const PROJECTS = 20;
const TODOS = 8;
const FRAME = 1_000 / 60;
/** Pixels a second, as a hand on a wheel scrolls. */
const SCROLL_SPEED = 2_000;
const BUSY_LIMIT = 30;
/** Milliseconds after which a page counts as hanging. */
const LONGEST = SECONDS * 1_000 + 30_000;
const program = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  const sessions = makeSessions(root);
  const server = await startServer(root);
  const browser = await openChromium();
  let updates;
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(await signInLink(root, server.url));
    await page.waitForFunction(
      (count) => document.querySelector(".link-state")?.textContent?.includes(String(count)),
      SESSIONS,
      { timeout: 60_000 },
    );
    await page.waitForSelector(".track");
    const probe = await openProbe(context, page);
    updates = startUpdates(sessions);
    await setTimeout(3_000);
    const rows = [];
    for (const phase of phasesOf(page, probe)) {
      const found = await Promise.race([phase(), setTimeout(LONGEST)]);
      rows.push(...(found ?? [{ what: "the page", figure: "hangs", target: "answers: missed" }]));
      if (!found) break;
    }
    const sent = updates.stop();
    console.log(`load average of the last minute: ${loadavg()[0]?.toFixed(1)}`);
    console.log(`${SESSIONS} sessions, ${sent.toFixed(1)} updates a second, ${SECONDS} s each\n`);
    table(rows);
  } finally {
    updates?.stop();
    await browser.close();
    server.child.kill("SIGTERM");
    await once(server.child, "close");
    rmSync(root, { recursive: true, force: true });
  }
}

/** Each prepares the page, measures it and returns rows. Clicks are sent at once: a busy page never comes to rest. */
function phasesOf(page, probe) {
  const shown = () => page.locator(".track").count();
  const click = async (selector) => {
    await page.evaluate((at) => document.querySelector(at)?.click(), selector);
    await setTimeout(2_000);
  };
  return [
    async () => busyRows(`board, ${await shown()} rows`, await probe.measure(pause)),
    async () => {
      await click("main section > .button");
      return busyRows(`board, ${await shown()} rows`, await probe.measure(pause));
    },
    async () => scrollRows(await shown(), await probe.measure(probe.scroll)),
    async () => {
      await click(".track .title");
      await page.waitForSelector(".timeline");
      return busyRows("session page", await probe.measure(pause));
    },
  ];
}

const pause = () => setTimeout(SECONDS * 1_000);
const percent = (share) => `${(share * 100).toFixed(1)} %`;

function busyRows(what, { busy, taken, script, style, longTasks, longest }) {
  return [
    {
      what: `${what}: processor time of the main thread`,
      figure: percent(busy),
      target: `under ${BUSY_LIMIT} %: ${busy * 100 < BUSY_LIMIT ? "met" : "missed"}`,
    },
    {
      what: `${what}: of it script, style and layout`,
      figure: `${percent(script)}, ${percent(style)}`,
    },
    { what: `${what}: tasks by the clock`, figure: percent(taken) },
    {
      what: `${what}: tasks over 50 ms, longest`,
      figure: `${longTasks}, ${longest.toFixed(0)} ms`,
    },
  ];
}

function scrollRows(count, found) {
  const { frames, dropped, worst } = found;
  return [
    ...busyRows(`scrolling ${count} rows`, found),
    {
      what: `scrolling ${count} rows: frames, dropped, longest`,
      figure: `${frames}, ${dropped} (${percent(dropped / (frames + dropped))}), ${worst.toFixed(0)} ms`,
    },
  ];
}

/** Sessions of Claude Code that work on a list. */
function makeSessions(root) {
  const start = Date.now() - 10_000;
  return Array.from({ length: SESSIONS }, (_, index) => {
    const folder = join(root, ".claude/projects", `-srv-p${index % PROJECTS}`);
    mkdirSync(folder, { recursive: true });
    const id = `${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const session = { path: join(folder, `${id}.jsonl`), id, index, calls: 0, done: 1 };
    const prompt = { role: "user", content: `Part ${index}: move the prices of the shop to cents` };
    const lines = [
      record(session, "user", prompt, start),
      listCall(session, start + 1_000),
      commandCall(session, start + 2_000),
    ];
    writeFileSync(session.path, lines.join(""));
    return session;
  });
}

function record(session, type, message, at, more = {}) {
  const line = {
    parentUuid: null,
    isSidechain: false,
    cwd: `/srv/p${session.index % PROJECTS}`,
    sessionId: session.id,
    version: "2.1.325",
    type,
    message,
    uuid: `${session.id}-${session.calls}-${type}`,
    timestamp: new Date(at).toISOString(),
    ...more,
  };
  return `${JSON.stringify(line)}\n`;
}

function call(session, name, input, answer, at, more) {
  const id = `toolu_${session.index}_${++session.calls}`;
  const content = [{ type: "tool_use", id, name, input }];
  const usage = { input_tokens: 900, output_tokens: 120, cache_read_input_tokens: 20_000 };
  const message = { id, role: "assistant", model: "claude-sonnet-4-5", content, usage };
  const result = { type: "tool_result", tool_use_id: id, content: answer };
  return (
    record(session, "assistant", { ...message, stop_reason: "tool_use" }, at) +
    record(session, "user", { role: "user", content: [result] }, at, more)
  );
}

function listCall(session, at) {
  const statusOf = (place) =>
    place < session.done ? "completed" : place === session.done ? "in_progress" : "pending";
  const todos = Array.from({ length: TODOS }, (_, place) => ({
    content: `Step ${place} of part ${session.index}`,
    activeForm: `Doing step ${place} of part ${session.index}`,
    status: statusOf(place),
  }));
  return call(session, "TodoWrite", { todos }, "ok", at, { toolUseResult: { newTodos: todos } });
}

function commandCall(session, at) {
  return call(session, "Bash", { command: `npm test -- part-${session.calls}` }, "passed", at);
}

/** Every other update is a command; the others complete a todo, and the last todo starts again. */
function nextUpdate(session) {
  if (session.calls % 2 === 0) return commandCall(session, Date.now());
  session.done = (session.done + 1) % TODOS;
  return listCall(session, Date.now());
}

/** Appends to one session after another. Returns a function that ends it and says the real rate. */
function startUpdates(sessions) {
  const start = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    // Timers are late on a loaded machine: sends what is due.
    const due = Math.floor(((performance.now() - start) / 1_000) * RATE);
    for (; sent < due; sent++) {
      const session = sessions[(sent * 7) % sessions.length];
      appendFileSync(session.path, nextUpdate(session));
    }
  }, 1_000 / RATE);
  return {
    stop() {
      clearInterval(timer);
      return (sent / (performance.now() - start)) * 1_000;
    },
  };
}

async function startServer(root) {
  const child = spawn(process.execPath, [program, "serve", "--port", "0", "--no-open", "--json"], {
    env: { PATH: process.env.PATH, HOME: root, WAYMARK_HOME: join(root, "w"), LANG: "C.UTF-8" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  const { url } = JSON.parse(readFileSync(join(root, "w/serve.json"), "utf8"));
  return { child, url };
}

async function signInLink(root, url) {
  const token = readFileSync(join(root, "w/serve-token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}api/codes`, { method: "POST", headers });
  return (await answer.json()).url;
}

/** Measures the main thread of a page. */
async function openProbe(context, page) {
  const client = await context.newCDPSession(page);
  const wall = await context.newCDPSession(page);
  // Processor time of the thread, which does not depend on other programs, and time by the clock, which does.
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  await wall.send("Performance.enable", { timeDomain: "timeTicks" });
  await page.evaluate(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration);
    }).observe({ type: "longtask" });
  });
  const metrics = async (session) => {
    const { metrics: found } = await session.send("Performance.getMetrics");
    return Object.fromEntries(found.map(({ name, value }) => [name, value]));
  };
  const both = async () => ({
    at: performance.now(),
    busy: await metrics(client),
    taken: await metrics(wall),
  });
  /** The share of the time in which the main thread was busy, and its long tasks, while `work` runs. */
  const measure = async (work) => {
    await page.evaluate(() => void window.longTasks.splice(0));
    const before = await both();
    const more = await work();
    const after = await both();
    const elapsed = (after.at - before.at) / 1_000;
    const share = (clock, ...names) =>
      names.reduce((sum, name) => sum + after[clock][name] - before[clock][name], 0) / elapsed;
    const tasks = await page.evaluate(() => window.longTasks);
    return {
      busy: share("busy", "TaskDuration"),
      taken: share("taken", "TaskDuration"),
      script: share("busy", "ScriptDuration"),
      style: share("busy", "RecalcStyleDuration", "LayoutDuration"),
      longTasks: tasks.length,
      longest: Math.max(0, ...tasks),
      ...more,
    };
  };
  return {
    measure,
    /** Scrolls down and up again, and counts the frames of the page. */
    async scroll() {
      await page.evaluate(() => {
        window.frames_ = [];
        const count = (at) => {
          window.frames_?.push(at);
          if (window.frames_) requestAnimationFrame(count);
        };
        requestAnimationFrame(count);
      });
      const distance = (SCROLL_SPEED * SECONDS) / 2;
      for (const yDistance of [-distance, distance])
        await client.send("Input.synthesizeScrollGesture", {
          x: 400,
          y: 500,
          yDistance,
          speed: SCROLL_SPEED,
          gestureSourceType: "mouse",
        });
      const times = await page.evaluate(() => {
        const counted = window.frames_;
        window.frames_ = undefined;
        return counted;
      });
      const gaps = times.slice(1).map((at, index) => at - times[index]);
      return {
        frames: times.length,
        dropped: gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / FRAME) - 1), 0),
        worst: Math.max(0, ...gaps),
      };
    },
  };
}
