import { afterAll, describe, expect, it } from "vitest";
import { addCheck } from "../../../src/checks/checks.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import { newMachine } from "../../cli/machine.ts";
import { newRepository, writeFiles } from "../../git/repositories.ts";
import { serveHere, serveProgram } from "./clients.ts";

const machine = newMachine();
afterAll(() => machine.remove());
const place = { home: machine.home };

interface Listed {
  readonly name: string;
  readonly _meta?: unknown;
}

describe("tasks over MCP", () => {
  it("are claimed by the session of the client, without an epoch", async () => {
    machine.run(["task", "add", "Paint", "--description", "Twice"]);
    machine.run(["task", "add", "Sweep", "--blocked-by", "t1"]);
    const { client, ended } = serveProgram(["--session", "ann", "--tools", "todos,tasks"], place);
    const { result } = await client.initialize();
    expect(result?.instructions).toMatch(/`todos` tool[\s\S]*# Shared tasks\n[\s\S]*in `tasks`\./);
    expect(await client.call({ claim: "next" }, "tasks")).toEqual({
      text: 'You own t1 (P2) "Paint"\nThe claim lasts 5 min and renews while you work.\nDescription: "Twice"',
      data: {
        text: expect.stringMatching(/^You own t1/),
        task: "t1",
        epoch: 1,
      },
      isError: false,
      meta: undefined,
    });
    expect(machine.json(["task", "show", "t1"])).toMatchObject({ status: "claimed", owner: "ann" });
    const refused = await client.call({ claim: "t2" }, "tasks");
    expect([refused.isError, refused.text]).toEqual([
      true,
      't2 is blocked by t1, not done yet. Claim a different task: {"claim":"next"}.',
    ]);
    expect((await client.call({ finish: "t1", evidence: "dry" }, "tasks")).isError).toBe(false);
    expect(machine.json(["task", "show", "t1"])).toMatchObject({
      status: "done",
      evidence: ["dry"],
    });
    client.end();
    await ended;
  });

  it("with a check are finished by the check that the server runs, with progress", async () => {
    const cwd = newRepository({ "state.txt": "broken\n" });
    const context = { home: { path: machine.home }, env: {} };
    const command = "cat state.txt; grep -q works state.txt";
    await addCheck(context, cwd, { name: "test", command, timeoutMs: 60_000, links: [] });
    const args = ["--session", "eve", "--tools", "tasks"];
    const { client, ended } = serveProgram(args, { ...place, cwd });
    await client.initialize();
    const added = await client.call({ add: [{ subject: "Prove", check: "test" }] }, "tasks");
    const [, id = ""] = /(t\d+) /.exec(added.text) ?? [];
    await client.call({ claim: id }, "tasks");
    const failed = await client.call({ finish: id, evidence: "it passed" }, "tasks");
    expect(failed.isError).toBe(true);
    expect(failed.text).toMatch(
      /its check "test" has not passed: "The check ended with exit code 1\."/,
    );
    expect(failed.text).toContain('Last lines: "broken"');
    expect(machine.json(["task", "show", id])).toMatchObject({ status: "claimed" });
    writeFiles(cwd, { "state.txt": "works\n" });
    const done = await client.call({ finish: id }, "tasks", { progressToken: "p1" });
    expect([done.isError, done.text]).toEqual([false, `${id} is done.`]);
    const progress = client.messages.filter(({ method }) => method === "notifications/progress");
    expect(progress[0]?.params).toMatchObject({
      progressToken: "p1",
      progress: 1,
      message: 'Running the check "test"',
    });
    expect(machine.json(["task", "show", id])).toMatchObject({
      status: "done",
      proof: { check: "test", exitCode: 0 },
    });
    client.end();
    await ended;
  });

  it("have a tool only if --tools names it", async () => {
    const names = async (tools: string) => {
      const { client, ended } = serveProgram(["--session", "n", "--tools", tools], place);
      await client.initialize();
      const { result } = await client.ask("tools/list");
      client.end();
      await ended;
      const listed = result?.tools as Listed[];
      expect(listed.map(({ _meta }) => _meta !== undefined)).toEqual(listed.map((_, n) => n === 0));
      return listed.map(({ name }) => name);
    };
    expect(await names("tasks,todos,plan")).toEqual(["todos", "tasks", "plan"]);
    expect(await names("claude-tasks")).toEqual([
      "TaskCreate",
      "TaskUpdate",
      "TaskGet",
      "TaskList",
    ]);
    expect(await names("TodoWrite")).toEqual(["TodoWrite"]);
    const ran = machine.run(["mcp", "--tools", "todos,task"]);
    expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining("Did you mean tasks?")]);
  });

  it("create no store for a read, and find one that is created later", async () => {
    const other = newMachine();
    const { client, ended } = serveProgram(["--session", "a", "--tools", "tasks"], {
      home: other.home,
    });
    await client.initialize();
    expect((await client.call({}, "tasks")).text).toBe(
      "There are no open tasks. Add a task, or tell the user.",
    );
    expect(other.run(["task", "add", "Later"]).status).toBe(0);
    expect((await client.call({}, "tasks")).text).toBe('Ready: 1\nt1 P2 "Later"');
    client.end();
    await ended;
    other.remove();
  });

  it("change once for a repeated call, and once for each of two clients", async () => {
    const store = memoryTaskStore();
    store.apply(
      { op: "add", tasks: [{ subject: "A" }, { subject: "B" }, { subject: "C" }] },
      {
        by: "user",
        via: "test",
      },
    );
    const clientOf = async (session: string) => {
      const { client } = serveHere({
        track: { session, agent: "main" },
        tasks: { tasks: () => store },
        taskTools: ["tasks"],
      });
      await client.initialize();
      return (id: string) =>
        client.call({ claim: "next" }, "tasks", { "claudecode/toolUseId": id });
    };
    const [ann, bob] = [await clientOf("ann"), await clientOf("bob")];
    const claims = [await ann("call_1"), await ann("call_1"), await bob("call_1")];
    expect(claims.map(({ data }) => data?.task)).toEqual(["t1", "t1", "t2"]);
  });

  it("do not show the generated session of a client", async () => {
    const store = memoryTaskStore();
    store.apply({ op: "add", tasks: [{ subject: "A" }] }, { by: "user", via: "test" });
    const { client } = serveHere({ tasks: { tasks: () => store }, taskTools: ["tasks"] });
    await client.initialize();
    expect((await client.call({ claim: "next" }, "tasks")).isError).toBe(false);
    expect(store.get("t1")?.owner).toMatch(/^mcp-[0-9a-f]{8}$/);
  });
});

it("task tools can be called from the command line", () => {
  const ran = machine.tool("TaskCreate", { subject: "Dust", description: "" }, "--session", "cli");
  expect([ran.status, ran.stdout]).toEqual([0, expect.stringMatching(/^Added t\d+ "Dust"\n$/)]);
  const claimed = machine.tool("tasks", { claim: "t2" }, "--session", "cli", "--json");
  expect(JSON.parse(claimed.stdout)).toMatchObject({ ok: true, data: { task: "t2", epoch: 1 } });
  expect(machine.tool("tasks", { finish: "t2" }, "--session", "cli").stdout).toBe("t2 is done.\n");
  const refused = machine.tool("tasks", { finish: "t99" }, "--session", "cli");
  expect([refused.status, refused.stdout]).toEqual([
    1,
    'No task has the id "t99". Call tasks without arguments to see what is ready.\n',
  ]);
});
