import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addCheck } from "../../../src/checks/checks.ts";
import { verify } from "../../../src/checks/verify.ts";
import { openTerminal } from "../../../src/cli/io/terminal.ts";
import { openHome } from "../../../src/home/open.ts";
import { type BoardServer, openBoardServer } from "../../../src/servers/http/board-server.ts";
import type { Task } from "../../../src/tasks/model.ts";
import type { TaskDetailAnswer, TasksAnswer, UserTaskOp } from "../../../src/tasks/wire.ts";
import { type Machine, newMachine } from "../../cli/machine.ts";
import { FULL } from "../../full.ts";
import { newRepository } from "../../git/repositories.ts";

let machine: Machine;
let serving: BoardServer;
let close: () => Promise<void>;
beforeAll(async () => {
  machine = newMachine();
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
  const terminal = openTerminal(env);
  const home = openHome(env, terminal.printError);
  const page = join(process.cwd(), "dist", "web");
  serving = await openBoardServer({ home, env, terminal }, { port: 0, page, version: "0" });
  close = async () => {
    await serving.close();
    await home.close();
    machine.remove();
  };
});
afterAll(() => close());

const headers = () => ({ authorization: `Bearer ${serving.token}` });
const get = async <T>(path: string): Promise<T> =>
  (await fetch(`${serving.url}${path}`, { headers: headers() })).json() as Promise<T>;
const post = async (body: unknown) => {
  const answer = await fetch(`${serving.url}api/tasks`, {
    method: "POST",
    headers: { ...headers(), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
let keys = 0;
const send = (op: UserTaskOp) => post({ op, key: `test-${++keys}` });
const shown = ({ id, status, owner, priority, blockedBy }: Task) => ({
  id,
  status,
  owner,
  priority,
  blockedBy,
});

test("applies each change of a user once, and explains refusals", async () => {
  expect(await get<TasksAnswer>("api/tasks")).toMatchObject({ tasks: [], left: 0 });
  const add = { op: "add", tasks: [{ subject: "Paint", priority: 1 }] } as const;
  const first = await post({ op: add, key: "once" });
  const again = await post({ op: add, key: "once" });
  expect([first.status, again.status]).toEqual([200, 200]);
  expect([first.body.duplicate, again.body.duplicate]).toEqual([false, true]);
  await send({ op: "add", tasks: [{ subject: "Dry", blockedBy: ["t1"], labels: ["house"] }] });
  machine.json(["task", "claim", "t1", "--as", "ann"]);
  expect(
    (await send({ op: "release", owner: "ann", held: [{ id: "t1", epoch: 7 }] })).body,
  ).toEqual({
    code: "stale_epoch",
    id: "t1",
    holder: "ann",
    message: expect.stringContaining("ann"),
  });
  expect((await send({ op: "assign", id: "t2", owner: "bob" })).status).toBe(409);
  expect((await send({ op: "assign", id: "t1", owner: "bob" })).status).toBe(200);
  const late = { op: "assign", id: "t1", owner: "cid", from: { owner: "ann", epoch: 1 } } as const;
  expect(await send(late)).toMatchObject({ status: 409, body: { code: "stale_epoch", id: "t1" } });
  expect((await send({ op: "edit", id: "t2", set: { priority: 0 } })).status).toBe(200);
  expect((await send({ op: "cancel", id: "t9" })).status).toBe(404);
  expect((await send({ op: "edit", id: "t2", set: { subject: "\u0007" } })).status).toBe(422);
  const found = machine.json(["task", "list", "--all"]) as Task[];
  expect(found.map(shown)).toEqual([
    { id: "t1", status: "claimed", owner: "bob", priority: 1, blockedBy: [] },
    { id: "t2", status: "open", owner: undefined, priority: 0, blockedBy: ["t1"] },
  ]);
});

test("refuses unknown ops and fields before they reach the store", async () => {
  const before = machine.json(["task", "list", "--all"]);
  const key = "k";
  const bad: readonly unknown[] = [
    null,
    [],
    {},
    { op: { op: "reopen", id: "t1" } },
    { key, op: "reopen" },
    { key: "", op: { op: "reopen", id: "t1" } },
    { key, op: { op: "claim", owner: "me" } },
    { key, op: { op: "fail", owner: "me", held: [{ id: "t1", epoch: 1 }], reason: "x" } },
    { key, op: { op: "finish", owner: "me", held: [{ id: "t1" }], evidence: "x" } },
    { key, op: { op: "finish", owner: "me", held: [{ id: "t1" }, { id: "t2" }] } },
    { key, op: { op: "toString" } },
    { key, op: { op: "reopen", id: 1 } },
    { key, op: { op: "reopen", id: "t1", more: 1 } },
    { key, op: { op: "edit", id: "t1", set: { status: "done" } } },
    { key, op: { op: "edit", id: "t1", set: { priority: 9 } } },
    { key, op: { op: "edit", id: "t1", set: { subject: "x" }, base: { priority: 1 } } },
    { key, op: { op: "edit", id: "t1", set: { subject: "x" }, base: "Paint" } },
    { key, op: { op: "add", tasks: [] } },
    { key, op: { op: "add", tasks: [{ subject: "x", owner: "me" }] } },
    { key, op: { op: "release", owner: "bob", held: [{ id: "t1" }] } },
    { key, op: { op: "assign", id: "t1", owner: "x", lease: 1 } },
    { key, op: { op: "assign", id: "t1", owner: "x", from: { owner: "bob" } } },
    { key, op: { op: "assign", id: "t1", owner: "x", from: 2 } },
    { key, op: { op: "reopen", id: "t1" }, more: true },
  ];
  for (const body of bad)
    expect({ body, status: (await post(body)).status }).toEqual({ body, status: 400 });
  expect(machine.json(["task", "list", "--all"])).toEqual(before);
});

test("publishes changes of other processes within a second", async () => {
  const { position, now, tasks } = await get<TasksAnswer>("api/tasks");
  expect(tasks.map(({ id }) => id)).toEqual(["t1", "t2"]);
  expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
  const stop = new AbortController();
  const stream = await fetch(`${serving.url}api/events?after=${position}`, {
    headers: headers(),
    signal: stop.signal,
  });
  const received = (async () => {
    let text = "";
    for await (const chunk of stream.body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const found = /event: tasks\ndata: (.*)\n/.exec(text)?.[1];
      if (found !== undefined) return { at: Date.now(), news: JSON.parse(found) };
    }
    throw new Error(`the stream ended: ${text}`);
  })();
  const { epoch } = machine.json(["task", "show", "t1"]) as Task;
  const done = ["task", "done", "t1", "--as", "bob", "--epoch", String(epoch)];
  machine.run([...done, "--evidence", "npm test"]);
  const began = Date.now();
  const { at, news } = await received;
  stop.abort();
  expect(news.tasks.map(shown)).toEqual([
    { id: "t1", status: "done", owner: "bob", priority: 1, blockedBy: [] },
  ]);
  // Under load, only a long limit is reliable; the full suite measures the second.
  expect(at - began).toBeLessThan(FULL ? 1_000 : 15_000);
  // A later client reads the same.
  const later = await get<TasksAnswer>("api/tasks");
  expect(later.tasks.map(({ id, status }) => [id, status])).toEqual([
    ["t1", "done"],
    ["t2", "open"],
  ]);
});

test("returns one task in full with its events", async () => {
  const { task, blocks, children, events, left } = await get<TaskDetailAnswer>("api/tasks/t1");
  expect({ ...shown(task), evidence: task.evidence }).toEqual({
    id: "t1",
    status: "done",
    owner: "bob",
    priority: 1,
    blockedBy: [],
    evidence: ["npm test"],
  });
  expect({ blocks, children, left }).toEqual({ blocks: ["t2"], children: [], left: 0 });
  expect(events.map(({ type, by, via, actor }) => ({ type, by, via, actor }))).toEqual([
    { type: "added", by: "user", via: "web", actor: undefined },
    { type: "claimed", by: "agent", via: "cli", actor: "ann" },
    { type: "assigned", by: "user", via: "web", actor: undefined },
    { type: "done", by: "agent", via: "cli", actor: "bob" },
  ]);
  expect(await get("api/tasks/t77")).toMatchObject({ code: "not_found" });
});

test("tries to open the store again with the next request", async () => {
  const home = openHome({ HOME: machine.root, WAYMARK_HOME: machine.home }, () => undefined);
  await expect(home.tasks("writing", "nonsense")).rejects.toThrow("Invalid store");
  const store = await home.tasks("writing");
  expect((await store.list()).map(({ id }) => id)).toEqual(["t1", "t2"]);
  await home.close();
});

test("refuses an edit of a task that changed in the meantime, with both versions", async () => {
  const { id } = machine.json(["task", "add", "Rinse"]) as Task;
  const edit = (description: string, base: string | null) =>
    send({ op: "edit", id, set: { description }, base: { description: base } });
  expect((await edit("Twice", null)).status).toBe(200);
  expect(await edit("Thrice", null)).toEqual({
    status: 409,
    body: {
      code: "conflict",
      id,
      message: `The description of ${id} has changed since you read it, so your version was not written.`,
    },
  });
  expect((await edit("Thrice", "Twice")).status).toBe(200);
});

test("lets a user finish unclaimed tasks by force, and claimed ones only with the epoch that they saw", async () => {
  const finish = (id: string, claim: object, more: object = {}) =>
    send({ op: "finish", owner: "user", held: [{ id, ...claim }], evidence: ["seen"], ...more });
  const [lone, held] = ["Sweep", "Mop"].map(
    (subject) => (machine.json(["task", "add", subject]) as Task).id,
  ) as [string, string];
  machine.json(["task", "claim", held, "--as", "ann"]);
  expect((await finish(lone, {})).body).toMatchObject({ code: "stale_epoch", holder: null });
  expect((await finish(lone, {}, { force: true })).status).toBe(200);
  expect((await finish(held, {})).body).toMatchObject({ code: "held", holder: "ann" });
  expect((await finish(held, { epoch: 1 })).body).toMatchObject({ code: "stale_epoch" });
  const done = await send({ op: "finish", owner: "ann", held: [{ id: held, epoch: 1 }] });
  expect(done.status).toBe(200);
  const shows = (id: string) => machine.json(["task", "show", id]) as Task;
  expect([lone, held].map((id) => [shows(id).status, shows(id).owner, shows(id).evidence])).toEqual(
    [
      ["done", undefined, ["Forced: it was not claimed", "seen"]],
      ["done", "ann", []],
    ],
  );
});

test("lets a user finish a task with a check by a stored proof of its owner's files, or by force", async () => {
  const cwd = newRepository();
  const context = { home: { path: machine.home }, env: {} };
  await addCheck(context, cwd, { name: "test", command: "true", timeoutMs: 60_000, links: [] });
  machine.run(["todo", "add", "Work", "--session", "prover"], { cwd });
  const added = await send({ op: "add", tasks: [{ subject: "Prove", check: "test" }] });
  const [task] = added.body.tasks as Task[];
  const id = task?.id ?? "";
  machine.json(["task", "claim", id, "--as", "prover"]);
  const op = { op: "finish", owner: "prover", held: [{ id, epoch: 1 }] } as const;
  const refused = await send(op);
  expect([refused.status, refused.body.code]).toEqual([409, "unproven"]);
  const proof = { check: "test", tree: "a", exitCode: 0, at: 1, machine: "m" } as const;
  for (const forged of [{ proofs: [proof] }, { proof }])
    expect((await send({ ...op, ...forged })).status).toBe(400);
  await verify(context, { cwd });
  const edited = await send({ op: "edit", id, set: { check: "lint" } });
  expect(edited.status).toBe(200);
  expect((await send(op)).body.code).toBe("unproven");
  await send({ op: "edit", id, set: { check: "test" } });
  await verify(context, { cwd, task: id });
  await expect
    .poll(async () => (await send(op)).body)
    .toMatchObject({
      ok: true,
      tasks: [{ status: "done", proof: { check: "test", exitCode: 0 } }],
    });
  const other = await send({ op: "add", tasks: [{ subject: "Skip", check: "test" }] });
  const held = [{ id: (other.body.tasks as Task[])[0]?.id ?? "" }];
  expect((await send({ op: "finish", owner: "user", held })).body.code).toBe("stale_epoch");
  const forced = await send({ op: "finish", owner: "user", held, force: true });
  expect(forced.body).toMatchObject({ tasks: [{ status: "done", proof: { forced: true } }] });
});
