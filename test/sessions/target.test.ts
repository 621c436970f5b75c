import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  sessionFor,
  targetOfTool,
  targetToChange,
  targetToWrite,
} from "../../src/sessions/target.ts";
import { HOUR, newContext, type TestContext } from "./context.ts";

const ONE = "aaaa1111-1111-4111-8111-111111111111";
const TWO = "aaaa2222-2222-4222-8222-222222222222";
const MCP = `mcp-${"0".repeat(24)}`;

const main = (session: string) => ({ session, agent: "main" });
const milk = [{ text: "Milk" }];

function directory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "Waymark Shop-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const unused = {
  directory: (): string => {
    throw new Error("the directory is not needed");
  },
};

/** A directory with lists: of the user, of an agent that hooks saw, of an MCP client. */
async function busyDirectory(context: TestContext, ...sessions: readonly string[]) {
  const cwd = directory();
  for (const session of sessions) await context.host({ session }, milk, { cwd });
  return { cwd, options: { directory: () => cwd } };
}

describe("the list that a command changes", () => {
  test("is the named one, by the beginning of a generated id too", async () => {
    const { call, host } = newContext();
    await host({ session: ONE }, milk);
    await host({ session: "groceries" }, milk);
    const target = (session: string, agent?: string) =>
      targetToChange(call, { session, agent }, unused);
    expect(await target("groceries")).toEqual({ by: "name", id: main("groceries") });
    expect(await target("aaaa")).toEqual({ by: "prefix", id: main(ONE) });
    expect(await target("groc")).toEqual({ problem: "unknown", id: main("groc") });
    expect(await target("groceries", "sub")).toEqual({
      problem: "unknown",
      id: { session: "groceries", agent: "sub" },
    });
    await host({ session: TWO }, milk);
    expect(await target("aaaa")).toEqual({
      problem: "ambiguous",
      given: "aaaa",
      sessions: [ONE, TWO],
    });
  });

  test("is that of the session that the environment names", async () => {
    const { call, host } = newContext({ CLAUDE_CODE_SESSION_ID: ONE });
    await host({ session: ONE }, milk);
    expect(await targetToChange(call, {}, unused)).toEqual({ by: "name", id: main(ONE) });
    expect(await targetToChange(call, { session: "x" }, unused)).toMatchObject({ id: main("x") });
  });

  test("cannot be the list of an external agent", async () => {
    const { call, transcript, subagent } = newContext();
    transcript(ONE, (file, at) => file.todos([["Theirs", "pending"]], at));
    subagent(ONE, "a1", (file, at) => file.todos([["Sub's", "pending"]], at));
    const agentOf = async (session: string, agent?: string) => {
      const target = await targetToChange(call, { session, agent }, unused);
      return "track" in target ? target.track.live.agent : target;
    };
    expect(await agentOf(ONE)).toBe("main");
    expect(await agentOf("aaaa")).toBe("main");
    expect(await agentOf(ONE, "a1")).toBe("a1");
    expect(await agentOf(ONE, "none")).toEqual({
      problem: "unknown",
      id: { session: ONE, agent: "none" },
    });
  });

  test("is our own where a session has both", async () => {
    const { call, transcript, host } = newContext();
    transcript(ONE, (file, at) => file.todos([["Theirs", "pending"]], at));
    await host({ session: ONE }, milk);
    for (const session of [ONE, "aaaa"])
      expect(await targetToChange(call, { session }, unused)).toMatchObject({ id: main(ONE) });
  });

  test("is the user's own of the directory, before those of agents", async () => {
    const context = newContext();
    const { options, cwd } = await busyDirectory(context, "groceries", ONE, MCP);
    expect(await targetToChange(context.call, {}, options)).toEqual({
      by: "directory",
      id: main("groceries"),
      count: 3,
      isOwn: true,
    });
    await context.host({ session: "groceries", agent: "sub" }, milk, { cwd });
    expect(await targetToChange(context.call, { agent: "sub" }, options)).toEqual({
      by: "directory",
      id: { session: "groceries", agent: "sub" },
      count: 1,
      isOwn: false,
    });
  });

  test("is the newest of agents where the user has none", async () => {
    const context = newContext();
    const { options } = await busyDirectory(context, ONE, TWO);
    expect(await targetToChange(context.call, {}, options)).toEqual({
      by: "directory",
      id: main(TWO),
      count: 2,
      isOwn: false,
    });
  });

  test("is refused where only external agents have one", async () => {
    const context = newContext();
    const cwd = directory();
    const options = { directory: () => cwd };
    expect(await targetToChange(context.call, {}, options)).toEqual({ problem: "none_here" });
    context.transcript(TWO, (file, at) => file.todos([["x", "pending"]], at), { cwd, age: HOUR });
    context.transcript(ONE, (file, at) => file.prompt("Go", at).end(at), { cwd });
    const target = await targetToChange(context.again(), {}, options);
    expect("track" in target && target.track.live.session).toBe(TWO);
  });
});

describe("the list that a user writes to", () => {
  test("is a new one for the directory, named after it", async () => {
    const context = newContext();
    const { options, cwd } = await busyDirectory(context);
    const id = main(await sessionFor(cwd));
    expect(await targetToWrite(context.call, {}, options)).toEqual({
      by: "new",
      id,
      agents: undefined,
    });
    expect(await targetToWrite(context.call, { agent: "sub" }, options)).toMatchObject({
      id: { ...id, agent: "sub" },
    });
  });

  test("is not that of an agent that works there", async () => {
    const context = newContext();
    const { options, cwd } = await busyDirectory(context, ONE);
    expect(await targetToWrite(context.call, {}, options)).toEqual({
      by: "new",
      id: main(await sessionFor(cwd)),
      agents: ONE,
    });
    await context.host({ session: "groceries" }, milk, { cwd });
    expect(await targetToWrite(context.call, {}, options)).toEqual({
      by: "directory",
      id: main("groceries"),
      count: 2,
      isOwn: true,
    });
  });

  test("is not a list that an agent was seen to work on, whatever its name", async () => {
    const context = newContext();
    const cwd = directory();
    const options = { directory: () => cwd };
    await context.host({ session: "named" }, milk, { cwd, agentType: "codex" });
    expect(await targetToWrite(context.call, {}, options)).toMatchObject({ by: "new" });
    await context.host({ session: "hooked" }, milk, { cwd });
    const tracker = await context.call.home.writing();
    await tracker.list(main("hooked")).observe([{ type: "turn.started" }]);
    expect(await targetToWrite(context.call, {}, options)).toMatchObject({ by: "new" });
  });

  test("is the named one, whether it exists or not", async () => {
    const context = newContext();
    expect(await targetToWrite(context.call, { session: "new", agent: "a" }, unused)).toEqual({
      by: "name",
      id: { session: "new", agent: "a" },
    });
  });
});

describe("the list that an agent's tool writes to", () => {
  test("is the named one exactly, without a look at others", async () => {
    const context = newContext();
    await context.host({ session: ONE }, milk);
    expect(await targetOfTool(context.call, { session: "aaaa" }, unused)).toEqual({
      by: "name",
      id: main("aaaa"),
    });
  });

  test("is the newest list of the directory, of any agent, or a new one", async () => {
    const context = newContext();
    const { options, cwd } = await busyDirectory(context, "groceries", ONE);
    await context.host({ session: TWO, agent: "sub" }, milk, { cwd });
    expect(await targetOfTool(context.call, {}, options)).toEqual({
      by: "directory",
      id: main(ONE),
      count: 2,
      isOwn: false,
    });
    const other = directory();
    expect(await targetOfTool(context.call, {}, { directory: () => other })).toEqual({
      by: "new",
      id: main(await sessionFor(other)),
      agents: undefined,
    });
  });
});

describe("the session of a directory", () => {
  test("has its name and a hash of its real path", async () => {
    const path = directory();
    const session = await sessionFor(path);
    expect(session).toMatch(/^waymark-shop-[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{6}$/);
    const link = `${path}-link`;
    symlinkSync(path, link);
    onTestFinished(() => rmSync(link));
    expect((await sessionFor(link)).slice(-6)).toBe(session.slice(-6));
    expect((await sessionFor(directory())).slice(-6)).not.toBe(session.slice(-6));
  });

  test("never divides a file name into session and agent", async () => {
    const path = mkdtempSync(join(tmpdir(), "an agent-agent-x"));
    onTestFinished(() => rmSync(path, { recursive: true }));
    expect(await sessionFor(path)).not.toContain("-agent-");
    const dots = mkdtempSync(join(tmpdir(), "-"));
    onTestFinished(() => rmSync(dots, { recursive: true }));
    expect(await sessionFor(dots)).toMatch(/^[a-z0-9]+-[0-9a-f]{6}$/);
  });
});
