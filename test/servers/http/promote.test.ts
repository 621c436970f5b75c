import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTerminal } from "../../../src/cli/io/terminal.ts";
import { openHome } from "../../../src/home/open.ts";
import { type BoardServer, openBoardServer } from "../../../src/servers/http/board-server.ts";
import { claudeSession } from "../../cli/claude-session.ts";
import { type Machine, newMachine } from "../../cli/machine.ts";
import { newUserHome, type UserHome } from "../../sessions/home.ts";

const EXTERNAL = "aaaaaaaa-1111-4111-8111-111111111111";

let machine: Machine;
let user: UserHome;
let serving: BoardServer;
let close: () => Promise<void>;
beforeAll(async () => {
  user = newUserHome();
  machine = newMachine();
  machine.run(["todo", "add", "Paint", "Dry", "--session", "s"]);
  machine.run(["todo", "start", "1", "--session", "s"]);
  const begun = Date.now() - 1_000;
  const session = claudeSession(EXTERNAL, "/srv/shop").prompt("Open", begun);
  user.write(
    `.claude/projects/-srv-shop/${EXTERNAL}.jsonl`,
    session.todos([["Sweep", "pending"]], begun).text(),
  );
  const env = {
    HOME: user.path,
    CLAUDE_CONFIG_DIR: join(user.path, ".claude"),
    WAYMARK_HOME: machine.home,
  };
  const terminal = openTerminal(env);
  const home = openHome(env, terminal.printError);
  const page = join(process.cwd(), "dist", "web");
  serving = await openBoardServer({ home, env, terminal }, { port: 0, page, version: "0" });
  await serving.feed.ready;
  close = async () => {
    await serving.close();
    await home.close();
    machine.remove();
    user.remove();
  };
});
afterAll(() => close());

async function promote(track: string, body: unknown) {
  const answer = await fetch(`${serving.url}api/tracks/${track}/promote`, {
    method: "POST",
    headers: { authorization: `Bearer ${serving.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test("promotes a todo to a task once, and claims it for the agent that works on it", async () => {
  expect(await promote("s~main", { todo: "1" })).toEqual({ status: 200, body: { task: "t1" } });
  expect(await promote("s~main", { todo: "2" })).toEqual({ status: 200, body: { task: "t2" } });
  expect(await promote("s~main", { todo: "2" })).toEqual({ status: 200, body: { task: "t2" } });
  const tasks = machine.json(["task", "list", "--all"]) as Record<string, unknown>[];
  expect(tasks.map(({ id, status, owner, ref }) => ({ id, status, owner, ref }))).toEqual([
    { id: "t1", status: "claimed", owner: "s", ref: "todo:s#1" },
    { id: "t2", status: "open", owner: undefined, ref: "todo:s#2" },
  ]);
  const events = machine.json(["task", "history", "t2"]) as Record<string, unknown>[];
  expect(events.map(({ type, by, via }) => [type, by, via])).toEqual([["added", "user", "web"]]);
});

test("refuses unknown todos, external lists and invalid requests", async () => {
  const before = machine.json(["task", "list", "--all"]);
  expect(await promote("s~main", { todo: "9" })).toMatchObject({
    status: 422,
    body: { code: "not_found" },
  });
  expect((await promote("nobody~main", { todo: "1" })).status).toBe(404);
  expect(await promote(`${EXTERNAL}~main`, { todo: "1" })).toMatchObject({
    status: 409,
    body: { code: "not_ours" },
  });
  for (const body of [null, [], {}, { todo: 1 }, { todo: "1", more: true }])
    expect({ body, status: (await promote("s~main", body)).status }).toEqual({ body, status: 400 });
  expect(machine.json(["task", "list", "--all"])).toEqual(before);
});
