// Generated Claude Code sessions: the same bytes for the same seed and packages.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../node_modules/.cache/bench/", import.meta.url));
const PACKAGES = fileURLToPath(new URL("../node_modules/", import.meta.url));
const FORMAT = 3;
const MB = 1e6;

export const SET = { sessions: 200, size: 400 * MB, seed: 20_261_115 };
export const LONG = { size: 1_000 * MB, seed: 42 };

/** A home directory with the sessions of one user; created once. */
export function transcriptHome() {
  return once(`set-${FORMAT}-${SET.size}-${SET.seed}`, (home) => {
    const random = randomOf(SET.seed);
    const texts = textsOf(["zod", "fast-check", "@types/node", "esbuild"]);
    const shares = Array.from({ length: SET.sessions }, () => 0.2 + random() ** 3 * 5);
    const whole = shares.reduce((sum, share) => sum + share, 0);
    const project = join(home, ".claude", "projects", "-home-dev-demo");
    shares.forEach((share, index) => {
      const size = (share / whole) * SET.size;
      const session = idOf(random);
      const spaced = index % 10 === 0;
      const children = index % 4 === 0 ? 2 : 0;
      const own = size * (1 - children * 0.1);
      writeSession(
        join(project, `${session}.jsonl`),
        { session, size: own, spaced },
        random,
        texts,
      );
      for (let child = 0; child < children; child++) {
        const agent = idOf(random).slice(0, 17).replaceAll("-", "");
        const path = join(project, session, "subagents", `agent-${agent}.jsonl`);
        writeSession(path, { session, agent, size: size * 0.1, spaced }, random, texts);
      }
    });
  });
}

/** The path of one very long session; created once. */
export function longSession() {
  const session = "7d0f3c1e-52a9-4b7e-9d3e-0c5b1c2f4a68";
  const home = once(`long-${FORMAT}-${LONG.size}-${LONG.seed}`, (folder) => {
    const texts = textsOf(["zod", "fast-check", "@types/node", "esbuild"]);
    const path = join(folder, `${session}.jsonl`);
    writeSession(path, { session, size: LONG.size }, randomOf(LONG.seed), texts);
  });
  return { path: join(home, `${session}.jsonl`), session };
}

function once(name, make) {
  const folder = join(CACHE, name);
  const done = join(folder, "complete");
  if (existsSync(done)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  console.log(`Making ${name} (once) …`);
  make(folder);
  writeFileSync(done, "");
  return folder;
}

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function idOf(random) {
  const hex = (count) =>
    Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join("");
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
}

/** Tool output is code and prose: here from installed packages. */
function textsOf(names) {
  const texts = [];
  const walk = (folder) => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) walk(path);
      else if (/\.(?:[cm]?[jt]s|md)$/.test(name)) texts.push(readFileSync(path, "utf8"));
    }
  };
  for (const name of names) walk(join(PACKAGES, name));
  return texts.join("\n").slice(0, 12 * MB);
}

const VERBS = ["Read", "Change", "Test", "Document", "Measure", "Review", "Remove", "Rename"];
const NOUNS = ["parser", "index", "queue", "page", "command", "store", "watcher", "table"];
const TOOLS = ["Bash", "Read", "Edit", "Grep", "Write", "Glob"];

function writeSession(path, { session, agent, size, spaced }, random, texts) {
  mkdirSync(join(path, ".."), { recursive: true });
  const handle = openSync(path, "w");
  const some = (list) => list[Math.floor(random() * list.length)];
  const between = (low, high) => Math.floor(low + random() * (high - low));
  const cut = (length) => {
    const from = between(0, texts.length - length);
    return texts.slice(from, from + length);
  };
  const tasks = random() < 0.5;
  let written = 0;
  let pending = [];
  let held = 0;
  let last = null;
  let records = 0;
  let at = Date.UTC(2026, 10, 1) + between(0, 1e9);
  const flush = () => {
    writeSync(handle, pending.join(""));
    pending = [];
    held = 0;
  };
  const put = (record) => {
    const line = `${spaced ? withSpaces(record) : JSON.stringify(record)}\n`;
    pending.push(line);
    held += line.length;
    written += Buffer.byteLength(line);
    if (held > 4 * MB) flush();
  };
  const say = (type, body) => {
    const uuid = idOf(random);
    records++;
    at += between(200, 20_000);
    put({
      parentUuid: last,
      isSidechain: agent !== undefined,
      ...(agent && { agentId: agent }),
      type,
      ...body,
      uuid,
      timestamp: new Date(at).toISOString(),
      userType: "external",
      cwd: "/home/dev/demo",
      sessionId: session,
      version: "2.1.50",
      gitBranch: "main",
    });
    last = uuid;
  };
  const prompt = () =>
    say("user", {
      message: { role: "user", content: cut(between(40, 800)) },
      ...(!agent && { permissionMode: "default" }),
    });
  const assistant = (content, stop) =>
    say("assistant", {
      message: {
        // Unique everywhere, like those of the real API.
        id: `msg_${(agent ?? session).slice(0, 8)}_${records}`,
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5-20250929",
        content: [content],
        stop_reason: stop,
        stop_sequence: null,
        usage: { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 20_000 },
      },
    });
  const call = (name, input, content, toolUseResult) => {
    const id = `toolu_${idOf(random).replaceAll("-", "").slice(0, 24)}`;
    assistant({ type: "tool_use", id, name, input }, "tool_use");
    say("user", {
      message: { role: "user", content: [{ tool_use_id: id, type: "tool_result", content }] },
      toolUseResult,
    });
  };
  let todos = [];
  let made = 0;
  const writeTodos = () => {
    const open = todos.findIndex((todo) => todo.status !== "completed");
    const old = todos;
    todos =
      open === -1
        ? Array.from({ length: between(3, 12) }, () => todoOf(some(VERBS), some(NOUNS), between))
        : todos.map((todo, index) => ({
            ...todo,
            status: index <= open ? "completed" : index === open + 1 ? "in_progress" : "pending",
          }));
    call("TodoWrite", { todos }, "Todos have been modified.", { oldTodos: old, newTodos: todos });
  };
  const writeTask = () => {
    if (made === 0 || random() < 0.4) {
      const task = { id: String(++made), subject: `${some(VERBS)} the ${some(NOUNS)}` };
      const input = { subject: task.subject, description: cut(100), activeForm: "Working" };
      call("TaskCreate", input, `Task #${made} created`, { task });
      return;
    }
    const taskId = String(between(1, made + 1));
    const status = some(["in_progress", "completed"]);
    const updated = {
      success: true,
      taskId,
      updatedFields: ["status"],
      statusChange: { to: status },
    };
    call("TaskUpdate", { taskId, status }, `Updated task #${taskId}`, updated);
  };

  prompt();
  let nextWrite = 6;
  while (written < size) {
    const chance = random();
    if (records >= nextWrite) {
      (tasks ? writeTask : writeTodos)();
      nextWrite = records + between(20, 60);
    } else if (chance < 0.04) {
      assistant({ type: "text", text: cut(between(100, 2_000)) }, "end_turn");
      prompt();
    } else if (chance < 0.15) assistant({ type: "text", text: cut(between(40, 600)) }, null);
    else if (chance < 0.155 && !agent) {
      const path = `/home/dev/.claude/plans/${some(NOUNS)}.md`;
      call("Write", { file_path: path, content: cut(1_000) }, "File created", { filePath: path });
      call("ExitPlanMode", {}, "User has approved your plan.", { plan: cut(500), filePath: path });
    } else {
      const name = some(TOOLS);
      const output = cut(between(1_000, 20_000));
      const input = { command: cut(between(20, 120)), description: cut(40) };
      call(name, input, output, { stdout: output, stderr: "", interrupted: false });
    }
  }
  assistant({ type: "text", text: "Done." }, "end_turn");
  flush();
  closeSync(handle);
  // The modification time of a session file is the time of its last record.
  utimesSync(path, at / 1_000, at / 1_000);
}

function todoOf(verb, noun, between) {
  const what = `the ${noun} of part ${between(1, 1_000)}`;
  return { content: `${verb} ${what}`, status: "pending", activeForm: `${verb}ing ${what}` };
}

/** Some writers put a space after colons and commas. */
function withSpaces(record) {
  return JSON.stringify(record, null, 1).replace(/\n */g, " ");
}
