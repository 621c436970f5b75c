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
  it("makes the list read-only until the user approves it", async () => {
    const { client, plan } = servePlans();
    await client.initialize();
    expect((await client.call({}, "plan")).text).toContain("no plan yet");
    const proposed = await client.call({ propose: PLAN }, "plan");
    expect(proposed).toMatchObject({
      isError: false,
      text: expect.stringContaining("is waiting for the user"),
      data: { state: "proposed", plan: PLAN.trim() },
    });
    const early = await client.call({ todos: [{ text: "At once" }] });
    expect([early.isError, early.text]).toEqual([
      true,
      expect.stringContaining("the list is read-only until then"),
    ]);
    expect(await choose(client, "approve", "At night")).toMatch(/^I approve .* "At night"$/);
    expect(await plan.get()).toMatchObject({ state: "approved", comment: "At night" });
    const list = await client.call({});
    expect(list.text).toContain('1 [ ] "Add the column"\n2 [ ] "Fill it"\n0 of 2 done.');
    expect((await client.call({ start: "1" })).isError).toBe(false);
    expect((await client.call({}, "plan")).text).toContain('Comment: "At night"');
  });

  it("can be rejected, commented on and proposed again", async () => {
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

  it("does not replace open todos when it is approved", async () => {
    const { client, tracker } = servePlans();
    await client.initialize();
    await client.call({ todos: [{ text: "Already begun" }] });
    await client.call({ propose: PLAN }, "plan");
    await choose(client, "approve");
    expect((await tracker.list(MAIN).get()).map(({ text }) => text)).toEqual(["Already begun"]);
  });

  it("cannot be decided by a model, nor without a proposal", {
    tags: ["privilege-escalation"],
  }, async () => {
    const { client, plan } = servePlans();
    await client.initialize();
    expect(await choose(client, "approve")).toContain("refused:");
    expect(await choose(client, "comment", " ")).toContain("refused: The prompt comment needs");
    await client.call({ propose: PLAN }, "plan");
    expect((await client.call({ approve: true, decision: "approved" }, "plan")).text).toBe(
      'Unknown fields "approve", "decision". Valid fields: propose. Nothing was changed.',
    );
    expect((await plan.get())?.state).toBe("proposed");
    for (const propose of ["  ", 7, ["x"], "x".repeat(60_001)])
      expect((await client.call({ propose }, "plan")).text).toMatch(/ Nothing was changed\.$/);
  });

  it("is a tool on request, within 2 KB", async () => {
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
