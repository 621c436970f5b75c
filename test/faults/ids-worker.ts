// A separate process that passes every id of a file to every API that accepts one. Only the effects
// on the disk matter here, not the answers.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../src/cli/main.ts";
import { openHome } from "../../src/home/open.ts";
import { readDue, writeDue } from "../../src/servers/hooks/due.ts";
import { spoolIfNothingDue } from "../../src/servers/hooks/quick.ts";
import { runHook } from "../../src/servers/hooks/run.ts";
import { resolveSession } from "../../src/sessions/caller/session.ts";
import { migrateSnapshot, readSnapshot } from "../../src/stores/snapshot-file.ts";
import { snapshotStore } from "../../src/stores/snapshot-store.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { addTodo } from "../../src/testing/decisions.ts";

export interface IdOrders {
  readonly ids: string;
  readonly home: string;
  /** Every nth id also goes through the commands, which take longer. */
  readonly commandsEvery: number;
}

const orders: IdOrders = JSON.parse(process.argv[2] ?? "{}");
const { home } = orders;
const ids: readonly string[] = JSON.parse(readFileSync(orders.ids, "utf8"));

const snapshots = snapshotStore(join(home, "snapshots"), { onWarning() {} });
const store = await sqliteStore(join(home, "tracks.db"), { createDirectory: true, onWarning() {} });
// With all files that the program writes beside the store.
const opened = openHome(process.env, () => {});
const tracker = await opened.writing();

type Entry = (id: string) => unknown;

const STORES: readonly Entry[] = [
  (session) => snapshots.commit({ session, agent: "main" }, "k", addTodo("k", "x")),
  (agent) => snapshots.commit({ session: "s", agent }, "k", addTodo("k", "x")),
  (session) => snapshots.read({ session, agent: "main" }),
  (session) => readSnapshot(join(home, "snapshots"), { session, agent: "main" }, () => {}),
  (to) => migrateSnapshot(join(home, "snapshots"), "s", to, () => {}),
  (session) => store.commit({ session, agent: "main" }, "k", addTodo("k", "x")),
  (session) => tracker.list({ session, agent: "main" }).set([{ text: "x" }], { via: "test" }),
  (agent) => tracker.list({ session: "s", agent }).set([{ text: "x" }], { via: "test" }),
  (id) => resolveSession({ meta: { sessionId: id, threadId: id }, env: {}, cwd: id, pid: 1, home }),
  (id) => resolveSession({ env: { CLAUDE_CODE_SESSION_ID: id }, cwd: "/", pid: 1, home }),
];

const hookWith = (fields: object, event = "PostToolUse", agent = "claude") =>
  runHook({
    agent,
    event,
    json: JSON.stringify(fields),
    native: false,
    home,
    env: {},
    tracker: async () => tracker,
    onProblem() {},
  });
const HOOKS: readonly Entry[] = [
  (id) => hookWith({ session_id: id, tool_name: "Bash" }),
  (id) => hookWith({ session_id: id, cwd: "/" }, "SessionStart"),
  (id) => hookWith({ session_id: "s", parent_session_id: id, agent_id: id }),
  (id) => hookWith({ session_id: "s", agent_id: id, tool_use_id: id, tool_name: id }),
  (id) => hookWith({ session_id: "s" }, id),
  (id) => hookWith({ session_id: "s" }, "Stop", id),
  (id) => spoolIfNothingDue(home, "claude", "PreToolUse", `{"session_id":"${id}"}`),
  (id) => spoolIfNothingDue(home, "claude", id, '{"session_id":"s"}'),
  (id) => readDue(home, id),
];

const COMMANDS: readonly ((id: string) => readonly string[])[] = [
  (id) => ["todo", "add", "x", "--session", id],
  (id) => ["todo", "add", "x", "--session", "s", "--agent", id],
  (id) => ["todos", "--session", id],
  (id) => ["show", id],
  (id) => ["history", "--session", id],
  (id) => ["todo", "export", "--session", id],
  (id) => ["todo", "start", id, "--session", "s"],
  (id) => ["plan", "show", "--session", id],
  (id) => ["task", "add", "x", "--as", id, "--parent", id, "--blocked-by", id],
  (id) => ["task", "claim", id, "--as", id],
  (id) => ["task", "done", id, "--as", id],
  (id) => ["task", "show", id],
  (id) => ["tool", "todos", "--session", id, "--agent", id],
];

async function knock(entry: Entry, id: string): Promise<void> {
  try {
    await entry(id);
  } catch {
    // The wording of refusals is tested elsewhere.
  }
}

writeDue(home, "s", { steps: 9, prompt: false, stop: false });
for (const [n, id] of ids.entries()) {
  for (const entry of [...STORES, ...HOOKS]) await knock(entry, id);
  if (n % orders.commandsEvery !== 0) continue;
  for (const command of COMMANDS) await knock(() => main(command(id)), id);
}
await opened.close();
await store.close();
process.exit(0);
