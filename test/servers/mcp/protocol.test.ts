import { afterAll, describe, expect, it } from "vitest";
import { newMachine } from "../../cli/machine.ts";
import { answerOf, type Era, officialClient, serveProgram } from "./clients.ts";

const machine = newMachine();
afterAll(() => machine.remove());
const place = { home: machine.home, cwd: machine.cwd };

const WRITE = { todos: [{ text: "Add the index", status: "in_progress" }, { text: "Test it" }] };

describe.each<Era>(["old", "new"])("the official client in the %s protocol", (era) => {
  const session = `official-${era}`;

  it("lists the tool, writes, changes and reads the list", async () => {
    const client = await officialClient(era, ["--session", session], place);
    try {
      expect(client.getServerVersion()).toMatchObject({ name: "waymark" });
      expect(client.getInstructions()).toContain("# Todo list");
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(["todos"]);

      const written = await client.callTool({ name: "todos", arguments: WRITE });
      const text = '1 [>] "Add the index"\n2 [ ] "Test it"\n0 of 2 done.';
      expect(written).toMatchObject({
        content: [{ type: "text", text }],
        structuredContent: {
          text,
          todos: [
            { id: "1", text: "Add the index", status: "in_progress" },
            { id: "2", text: "Test it", status: "pending" },
          ],
          progress: { completed: 0, total: 2, percent: 0, verified: 0 },
        },
      });
      expect(written.isError).toBeUndefined();

      const changed = await client.callTool({
        name: "todos",
        arguments: { finish: ["1"], start: "2", evidence: "npm test" },
      });
      expect(changed.structuredContent).toEqual({
        text: '1 [x] "Add the index"\n2 [>] "Test it"\n1 of 2 done.',
        changed: [
          { id: "1", text: "Add the index", status: "completed" },
          { id: "2", text: "Test it", status: "in_progress" },
        ],
        progress: { completed: 1, total: 2, percent: 50, verified: 0 },
      });

      const refused = await client.callTool({ name: "todos", arguments: { finish: ["9"] } });
      expect(refused).toMatchObject({
        isError: true,
        content: [
          { type: "text", text: 'No todo has the id "9". Ids: 1, 2. Nothing was changed.' },
        ],
      });
      expect(refused.structuredContent).toBeUndefined();
      await expect(client.callTool({ name: "nothing", arguments: {} })).rejects.toThrow(
        'Unknown tool "nothing". Available: todos.',
      );

      // Other readers find the list of the answer.
      expect(machine.json(["todos", "--session", session])).toMatchObject({
        todos: [
          {
            text: "Add the index",
            status: "completed",
            evidence: { level: "reported", references: ["npm test"] },
          },
          {},
        ],
      });
    } finally {
      await client.close();
    }
  });

  it("reads list and history as resources, as text and as JSON", async () => {
    const client = await officialClient(era, ["--session", session], place);
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      const [content] = contents as { uri: string; mimeType: string; text: string }[];
      return content;
    };
    try {
      const { resources } = await client.listResources();
      expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
        ["waymark://list", "text/markdown"],
        ["waymark://list.json", "application/json"],
        ["waymark://history", "text/markdown"],
        ["waymark://history.json", "application/json"],
        ["waymark://tasks", "text/markdown"],
        ["waymark://tasks.json", "application/json"],
      ]);
      expect((await read("waymark://list"))?.text).toMatch(
        /^- \[x\] Add the index .*\n- \[\/\] Test it\n$/,
      );
      expect(JSON.parse((await read("waymark://list.json"))?.text ?? "")).toMatchObject({
        session,
        agent: "main",
        progress: { completed: 1, total: 2 },
        current: { id: "2" },
      });
      const history = (await read("waymark://history"))?.text ?? "";
      expect(history.split("\n").map((line) => line.replace(/^- \d\d:\d\d /, ""))).toEqual([
        'agent new -> in_progress: "Add the index"',
        'agent new -> pending: "Test it"',
        'agent evidence added: "Add the index": "npm test"',
        'agent in_progress -> completed: "Add the index"',
        'agent pending -> in_progress: "Test it"',
        "",
      ]);
      expect(JSON.parse((await read("waymark://history.json"))?.text ?? "")).toHaveLength(5);
      await expect(read("waymark://nothing")).rejects.toThrow();
    } finally {
      await client.close();
    }
  });

  it("offers prompts to plan and to continue", async () => {
    const client = await officialClient(era, ["--session", session], place);
    try {
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual([
        "plan",
        "continue",
        "approve",
        "reject",
        "comment",
      ]);
      const text = async (name: string, args?: Record<string, string>) => {
        const { messages } = await client.getPrompt({ name, ...(args && { arguments: args }) });
        return messages.map(({ content }) => (content.type === "text" ? content.text : "")).join();
      };
      expect(await text("plan", { goal: "Move to SQLite" })).toMatch(/^Goal: "Move to SQLite"\n/);
      expect(await text("continue")).toContain('2 [>] "Test it"\n1 of 2 done.');
      await expect(text("plan")).rejects.toThrow("The prompt plan needs the argument goal.");
      await expect(text("dance")).rejects.toThrow('Unknown prompt "dance".');
    } finally {
      await client.close();
    }
  });

  it("receives updates about changes of another process", async () => {
    const client = await officialClient(era, ["--session", session], place);
    try {
      const received: string[] = [];
      const first = new Promise<void>((resolve) => {
        client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
          received.push(params.uri);
          if (received.length === 1) resolve();
        });
      });
      const uri = "waymark://list";
      if (era === "new") await client.listen({ resourceSubscriptions: [uri] });
      else await client.subscribeResource({ uri });
      const ran = machine.run(["todo", "add", "Tell the others", "--session", session]);
      expect(ran.status).toBe(0);
      await first;
      // Only what was asked for, and only of this list.
      machine.run(["todo", "add", "Something else", "--session", "another"]);
      await client.callTool({ name: "todos", arguments: { drop: ["3"] } });
      await expect.poll(() => received).toEqual([uri, uri]);
    } finally {
      await client.close();
    }
  });
});

it.each(["2024-11-05", "2024-10-07", "2025-03-26", "2025-06-18", "2025-11-25"])(
  "a client written by hand is served in protocol %s",
  async (version) => {
    const { client, ended, stderr } = serveProgram(["--session", `hand-${version}`], place);
    const { result } = await client.initialize(version);
    expect(result).toMatchObject({
      protocolVersion: version,
      serverInfo: { name: "waymark" },
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} },
    });
    expect((await client.call(WRITE)).text).toBe(
      '1 [>] "Add the index"\n2 [ ] "Test it"\n0 of 2 done.',
    );
    expect((await client.ask("ping")).result).toEqual({});
    client.end();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(stderr()).toBe("");
  },
);

it("answers an unknown protocol version with a known one", async () => {
  const { client, ended } = serveProgram(["--session", "future"], place);
  const { result } = await client.initialize("2099-01-01");
  expect(result?.protocolVersion).toBe("2025-11-25");
  client.end();
  await ended;
});

it("accepts the old handshake after a probe for the new protocol", async () => {
  const { client, ended } = serveProgram(["--session", "probe"], place);
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "claude-code", version: "2" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { result } = await client.ask("server/discover", { _meta: envelope });
  expect(result).toMatchObject({ supportedVersions: ["2026-07-28"] });
  expect((await client.initialize()).result?.protocolVersion).toBe("2025-06-18");
  expect((await client.call({})).text).toBe("The list is empty.");
  client.end();
  await ended;
});

it("accepts a call as the first message of a new client", async () => {
  const { client, ended } = serveProgram(["--session", "stateless"], place);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "codex-mcp-client", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const answer = await client.ask("tools/call", { name: "todos", arguments: WRITE, _meta });
  expect(answerOf(answer).text).toContain('1 [>] "Add the index"');
  client.end();
  await ended;
  const [track] = machine.json(["ls"]) as { session: string; agentType: string }[];
  expect(track).toMatchObject({ session: "stateless", agentType: "codex" });
});
