import { afterAll, describe, expect, it } from "vitest";
import { newMachine } from "../../cli/machine.ts";
import { type RawClient, serveHere, serveProgram } from "./clients.ts";

const machine = newMachine();
afterAll(() => machine.remove());
const MAIN = { session: "s", agent: "main" };
const PLAN = "# Move\n\n1. Add the column\n2. Fill it\n";

function servePlans() {
  const served = serveHere({ track: MAIN, plans: true });
  return { ...served, plan: served.tracker.list(MAIN).plan };
}

async function choose(client: RawClient, name: string, comment?: string): Promise<string> {
  const { result, error } = await client.ask("prompts/get", {
    name,
    ...(comment !== undefined && { arguments: { comment } }),
  });
  if (error) return `refused: ${error.message}`;
  const [message] = (result?.messages ?? []) as { readonly content: { readonly text: string } }[];
  return message?.content.text ?? "";
}

describe("a plan over MCP", () => {
  it("is proposed by the model, closes the list, and opens it when a person approves", async () => {
    const { client, plan } = servePlans();
    await client.initialize();
    expect((await client.call({}, "plan")).text).toContain("no plan yet");
    const proposed = await client.call({ propose: PLAN }, "plan");
    expect(proposed).toMatchObject({
      isError: false,
      text: expect.stringContaining("waits for the person"),
      data: { state: "proposed", plan: PLAN.trim() },
    });
    const early = await client.call({ todos: [{ text: "At once" }] });
    expect([early.isError, early.text]).toEqual([
      true,
      expect.stringContaining("list is closed until it is approved"),
    ]);
    expect(await choose(client, "approve", "At night")).toMatch(/^I approve .* "At night"$/);
    expect(await plan.get()).toMatchObject({ state: "approved", comment: "At night" });
    const list = await client.call({});
    expect(list.text).toContain('1. [ ] "Add the column"\n2. [ ] "Fill it"\n\n(0/2 completed)');
    expect((await client.call({ start: "1" })).isError).toBe(false);
    expect((await client.call({}, "plan")).text).toContain('They said: "At night".');
  });

  it("is sent back, commented on, and proposed again", async () => {
    const { client, plan } = servePlans();
    await client.initialize();
    await client.call({ propose: PLAN }, "plan");
    expect(await choose(client, "comment", "Why a column?")).toContain("Why a column?");
    expect(await choose(client, "reject")).toMatch(/^I reject your plan\./);
    expect((await plan.get())?.state).toBe("rejected");
    expect((await client.call({ todos: [{ text: "Anyway" }] })).isError).toBe(true);
    await client.call({ propose: "1. Use a table" }, "plan");
    expect(await plan.get()).toMatchObject({ state: "proposed", text: "1. Use a table" });
  });

  it("keeps the list that is open: the steps of the plan do not take its place", async () => {
    const { client, tracker } = servePlans();
    await client.initialize();
    await client.call({ todos: [{ text: "Already begun" }] });
    await client.call({ propose: PLAN }, "plan");
    await choose(client, "approve");
    expect((await tracker.list(MAIN).get()).map(({ text }) => text)).toEqual(["Already begun"]);
  });

  it("M3 is not decided by a model, nor where none waits", async () => {
    const { client, plan } = servePlans();
    await client.initialize();
    expect(await choose(client, "approve")).toContain("refused:");
    expect(await choose(client, "comment", " ")).toContain("refused: The prompt comment needs");
    await client.call({ propose: PLAN }, "plan");
    expect((await client.call({ approve: true, decision: "approved" }, "plan")).text).toBe(
      'Nothing was changed. The input has unknown fields: "approve", "decision". It takes propose.',
    );
    expect((await plan.get())?.state).toBe("proposed");
    for (const propose of ["  ", 7, ["x"], "x".repeat(60_001)])
      expect((await client.call({ propose }, "plan")).text).toMatch(/^Nothing was changed\./);
  });

  it("is offered where it is asked for, and costs little", async () => {
    const place = { home: machine.home, cwd: machine.cwd };
    const names = async (args: readonly string[]) => {
      const { client, ended } = serveProgram(["--session", "offer", ...args], place);
      await client.initialize();
      const { result } = await client.ask("tools/list");
      client.end();
      await ended;
      const tools = result?.tools as { readonly name: string }[];
      expect(JSON.stringify(result).length).toBeLessThan(2_048);
      return tools.map(({ name }) => name);
    };
    expect(await names([])).toEqual(["todos"]);
    expect(await names(["--tools", "todos,plan"])).toEqual(["todos", "plan"]);
  });
});
