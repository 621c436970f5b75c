import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTracker, todoTools } from "../dist/index.js";
import { foldEvents } from "../dist/internal.js";
import { sqliteStore } from "../dist/stores/sqlite.js";
import { median, table, timeCommands, timeEach } from "./measure.mjs";

const program = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));
const ID = { session: "bench", agent: "main" };
const STATUSES = ["completed", "in_progress", "pending"];

/** A TodoWrite of twelve todos in which one step is done with each call. */
function write(step) {
  return {
    todos: Array.from({ length: 12 }, (_, index) => ({
      content: `Step ${index + 1} of the work at hand`,
      status: STATUSES[Math.sign(index - (step % 11)) + 1],
      activeForm: `Doing step ${index + 1} of the work at hand`,
    })),
  };
}

async function throughTracker(store, count) {
  const tracker = createTracker(store ? { store } : {});
  const [tool] = todoTools(tracker.list(ID), { tools: ["TodoWrite"] });
  return timeEach(count, async (step) => {
    const { ok, text } = await tool.execute(write(step));
    if (!ok) throw new Error(text);
  });
}

/** The same bytes with the same durability, without Waymark. */
async function rawDriver(folder, count) {
  const Database =
    process.getBuiltinModule("node:sqlite")?.DatabaseSync ?? (await import("libsql")).default;
  const db = new Database(join(folder, "raw.db"));
  db.exec("PRAGMA journal_mode = PERSIST");
  db.exec("PRAGMA synchronous = FULL");
  db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)");
  const insert = db.prepare("INSERT INTO t (body) VALUES (?)");
  const body = JSON.stringify(write(3));
  const taken = await timeEach(count, async () => {
    db.exec("BEGIN IMMEDIATE");
    insert.run(body);
    db.exec("COMMIT");
  });
  db.close();
  return taken;
}

/** Alternates between both, so that both see the same disk. */
async function againstRaw(store, folder) {
  const ratios = [];
  const times = { raw: [], ours: [] };
  for (let round = 0; round < 5; round++) {
    const raw = await rawDriver(mkdtempSync(join(folder, "raw-")), 100);
    const ours = await throughTracker(store, 100);
    times.raw.push(raw);
    times.ours.push(ours);
    ratios.push(ours / raw);
  }
  return { raw: median(times.raw), ours: median(times.ours), ratio: median(ratios) };
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    const memory = await throughTracker(undefined, 5_000);
    const store = await sqliteStore(join(folder, "waymark.db"));
    const { raw, ours, ratio } = await againstRaw(store, folder);
    const events = await store.events(ID);
    await store.close();

    const long = Array.from({ length: 10_000 }, (_, index) => {
      const { changes } = events[1 + (index % (events.length - 1))];
      return {
        ...events[0],
        seq: index + 1,
        key: `k${index}`,
        changes: index === 0 ? events[0].changes : changes,
      };
    });
    const folds = Array.from({ length: 7 }, () => {
      const start = performance.now();
      foldEvents(ID, long);
      return performance.now() - start;
    });

    const env = { ...process.env, WAYMARK_HOME: join(folder, "home") };
    const input = JSON.stringify(write(1));
    const args = (...words) => [program, ...words, "--session", "bench"];
    const starts = timeCommands(
      {
        "node -e 0": { args: ["-e", "0"] },
        "waymark tool TodoWrite": { args: args("tool", "TodoWrite"), input, env },
        "waymark todos --json": { args: args("todos", "--json"), env },
      },
      15,
    );
    const base = starts.get("node -e 0");
    table([
      { what: "TodoWrite of 12 todos, memory", figure: `${memory.toFixed(0)} us`, ratio: "" },
      {
        what: "raw SQLite transaction of the same size",
        figure: `${raw.toFixed(0)} us`,
        ratio: "1.00",
      },
      {
        what: "TodoWrite of 12 todos, SQLite",
        figure: `${ours.toFixed(0)} us`,
        ratio: `${ratio.toFixed(2)} x raw`,
      },
      { what: "fold of 10,000 events", figure: `${median(folds).toFixed(0)} ms`, ratio: "" },
      ...[...starts].map(([name, taken]) => ({
        what: `start: ${name}`,
        figure: `${taken.toFixed(0)} ms`,
        ratio: `${(taken / base).toFixed(2)} x node -e 0`,
      })),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
