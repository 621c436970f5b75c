import { expect, onTestFinished, test } from "vitest";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { OPENCODE, writeOpencode } from "../sessions/home.ts";
import { eachOnItsOwn, home, ls, SECOND } from "./user-machine.ts";
import { watchJson } from "./watching.ts";

eachOnItsOwn();

async function opencodeDatabase() {
  const path = await writeOpencode(home);
  const db = (await loadDriver()).open(path);
  onTestFinished(() => db.close());
  const insert = db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)");
  let count = 0;
  return {
    db,
    tool(tool: string, input: unknown, state: object, at: number) {
      const data = {
        type: "tool",
        tool,
        callID: `call_${++count}`,
        state: { status: "completed", input, time: { start: at, end: at }, ...state },
      };
      const id = `prt_${String(count).padStart(4, "0")}`;
      insert.run(id, "msg_1", OPENCODE, at, at, JSON.stringify(data));
    },
  };
}

/** Later than everything in the fixture. */
const LATER = 1_795_000_100_000;

test("reports a refused opencode write once, however often the database changes", async () => {
  const { tool } = await opencodeDatabase();
  const refused = (at: number) =>
    tool("invalid", { tool: "todowrite", error: "todos: Required" }, { output: "refused" }, at);
  // One before the start and one during the watch.
  refused(LATER);
  const watched = await watchJson();
  refused(LATER + SECOND);
  tool("todowrite", { todos: 3 }, { status: "error", error: "not a list" }, LATER + 2 * SECOND);
  await expect.poll(() => watched.events().length, { timeout: 20_000 }).toBeGreaterThan(1);
  for (let turn = 1; turn <= 5; turn++) {
    tool("bash", { command: `echo ${turn}` }, { output: "" }, LATER + (2 + turn) * SECOND);
    await expect
      .poll(() => watched.events().filter(({ type }) => type === "tool.completed").length, {
        timeout: 20_000,
      })
      .toBe(turn);
  }
  const events = watched.events();
  const ids = events.map(({ eventId }) => eventId);
  expect(ids).toEqual([...new Set(ids)]);
  expect(events.filter(({ type }) => type === "warning")).toMatchObject([
    { code: "list_rejected", message: "todos: Required", timestamp: LATER + SECOND },
    { code: "list_rejected", message: "not a list", timestamp: LATER + 2 * SECOND },
  ]);
});

test("reports that an opencode list was emptied, as ls does", async () => {
  const { db } = await opencodeDatabase();
  const watched = await watchJson();
  const lists = () => watched.events().filter(({ type }) => type === "todo_list");
  db.exec(`DELETE FROM todo WHERE session_id = '${OPENCODE}'`);
  await expect
    .poll(lists, { timeout: 20_000 })
    .toMatchObject([{ sessionId: OPENCODE, agentId: "main", items: [] }]);
  const insert = "INSERT INTO todo VALUES (?, 'Start over', 'pending', 'high', 0, ?, ?)";
  db.prepare(insert).run(OPENCODE, LATER, LATER);
  await expect.poll(lists, { timeout: 20_000 }).toHaveLength(2);
  db.exec(`DELETE FROM todo WHERE session_id = '${OPENCODE}'`);
  await expect
    .poll(lists, { timeout: 20_000 })
    .toMatchObject([{ items: [] }, { items: [{ text: "Start over" }] }, { items: [] }]);
  const [main] = ls().filter(({ session, agent }) => session === OPENCODE && agent === "main");
  expect(main).toMatchObject({ progress: { total: 0 } });
});
