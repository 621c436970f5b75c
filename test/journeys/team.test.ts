import { afterAll, expect, it } from "vitest";
import { newMachine } from "../cli/machine.ts";
import { type Served, serveProgram } from "../servers/mcp/clients.ts";

const machine = newMachine();
afterAll(() => machine.remove());

/** Six tasks in three layers: each task is blocked by all tasks of the previous layer. */
const BACKLOG = [
  { id: "a", subject: "Dig the trench" },
  { id: "b", subject: "Order the pipes" },
  { id: "c", subject: "Lay the pipes", blockedBy: ["a", "b"] },
  { id: "d", subject: "Test the pipes", blockedBy: ["c"] },
  { id: "e", subject: "Fill the trench", blockedBy: ["d"] },
  { id: "f", subject: "Write the bill", blockedBy: ["d"] },
];

interface Event {
  readonly task: string;
  readonly type: string;
  readonly actor?: string;
}

it("four agents share a backlog: the task of a killed agent is finished by another, a late write is refused", async () => {
  const added = machine.run(["task", "add", "-", "--json"], {
    input: BACKLOG.map((task) => JSON.stringify(task)).join("\n"),
  });
  expect(JSON.parse(added.stdout)).toEqual({
    added: 6,
    ids: ["t1", "t2", "t3", "t4", "t5", "t6"],
  });
  const serve = (name: string) =>
    serveProgram(["--session", name, "--tools", "todos,tasks", "--lease", "2s"], {
      home: machine.home,
    });
  const names = ["ann", "bob", "cid", "dan"];
  const team = new Map<string, Served>(names.map((name) => [name, serve(name)]));
  const client = (name: string) => {
    const served = team.get(name);
    if (!served) throw new Error(`nobody is called ${name}`);
    return served.client;
  };
  await Promise.all(names.map((name) => client(name).initialize()));

  // Two tasks are ready, so two agents find none.
  const first = await Promise.all(
    names.map(async (name) => ({ name, ...(await client(name).call({ claim: "next" }, "tasks")) })),
  );
  const holders = first.filter(({ isError }) => !isError);
  expect(holders.map(({ data }) => data?.task).toSorted()).toEqual(["t1", "t2"]);
  expect(first.filter(({ isError }) => isError).map(({ data }) => data?.code)).toEqual([
    "none_ready",
    "none_ready",
  ]);
  const [killed, stopped] = holders.map(({ name, data }) => ({ name, task: `${data?.task}` }));
  if (!killed || !stopped) throw new Error("two hold a task");
  const [third = "", fourth = ""] = names.filter(
    (name) => name !== killed.name && name !== stopped.name,
  );

  team.get(killed.name)?.child.kill("SIGKILL");
  await team.get(killed.name)?.ended;
  team.get(stopped.name)?.child.kill("SIGSTOP");
  // Both owners are inactive: their tasks are ready again after their leases.
  const taken = async (name: string, task: string) =>
    expect
      .poll(async () => (await client(name).call({ claim: task }, "tasks")).isError, {
        interval: 200,
      })
      .toBe(false);
  await taken(third, killed.task);
  await taken(fourth, stopped.task);
  team.get(stopped.name)?.child.kill("SIGCONT");
  const late = await client(stopped.name).call({ finish: stopped.task }, "tasks");
  expect([late.isError, late.text]).toEqual([
    true,
    `Your claim on ${stopped.task} expired, and "${fourth}" owns it now. Stop working on it and tell the user what you changed.`,
  ]);
  expect((await client(third).call({ finish: killed.task }, "tasks")).isError).toBe(false);

  // The rest of the backlog becomes ready in order, whichever agent claims it.
  const workers = [third, fourth, stopped.name];
  await client(fourth).call({ finish: stopped.task, evidence: "seen" }, "tasks");
  for (let turn = 0; turn < 40; turn++) {
    const name = workers[turn % workers.length] ?? third;
    const { isError, data } = await client(name).call({ claim: "next" }, "tasks");
    if (!isError) {
      const done = await client(name).call({ finish: data?.task, evidence: "seen" }, "tasks");
      expect(done.text.split("\n")[0]).toBe(`${data?.task} is done.`);
    }
  }
  const history = machine.json(["task", "history"]) as Event[];
  const done = history.filter(({ type }) => type === "done").map(({ task }) => task);
  expect(done.toSorted()).toEqual(["t1", "t2", "t3", "t4", "t5", "t6"]);
  const place = (id: string) => done.indexOf(id);
  expect(Math.max(place("t1"), place("t2"))).toBeLessThan(place("t3"));
  expect(place("t3")).toBeLessThan(place("t4"));
  expect(place("t4")).toBeLessThan(Math.min(place("t5"), place("t6")));
  // One owner at a time: an event between two claims of a task ended the first.
  const claims = history.filter(({ type }) => type === "claimed");
  expect(claims).toHaveLength(8);
  for (const name of workers) client(name).end();
  await Promise.all(workers.map((name) => team.get(name)?.ended));
}, 60_000);
