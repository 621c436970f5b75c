import { appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Event, Track } from "../../src/core/model.ts";
import type { AnyTrack } from "../../src/sessions/any-track.ts";
import { relayedList } from "../../src/sessions/read-list.ts";
import { resolveTrack } from "../../src/sessions/resolve.ts";
import { openSources } from "../../src/sessions/sources.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { CWD, HOUR, MINUTE, newContext, type TestContext } from "./context.ts";

const SESSION = "aaaa1111-1111-4111-8111-111111111111";
const unused = { directory: () => CWD };

async function read({ call }: TestContext, session = SESSION, agent = "main") {
  const found = await resolveTrack(call, { session, agent }, unused);
  if ("problem" in found) throw new Error(found.problem);
  return found.list;
}

const texts = ({ todos }: Pick<Track, "todos">) =>
  todos.map(({ text, status }) => `${text}: ${status}`);

describe("the list of an external agent", () => {
  const NOW = Date.now();
  function worked() {
    const context = newContext();
    const path = context.transcript(SESSION, (file) =>
      file
        .prompt("Repair the export", NOW - 10 * MINUTE)
        .todos([["Read", "in_progress"]], NOW - 9 * MINUTE)
        .refused("InputValidationError: todos must be an array", NOW - 8 * MINUTE)
        .todos(
          [
            ["Read", "completed"],
            ["Write", "in_progress"],
          ],
          NOW - 7 * MINUTE,
        ),
    );
    return { ...context, path };
  }

  test("has its present todos and the title that surfaces show", async () => {
    const list = await read(worked());
    const track = await list.read();
    expect(list.id).toEqual({ session: SESSION, agent: "main" });
    expect(track.title).toBe("Repair the export");
    expect(texts(track)).toEqual(["Read: completed", "Write: in_progress"]);
  });

  test("is known as it was at a time, that moment included", async () => {
    const list = await read(worked());
    const at = async (time: number) => texts(await list.at(time));
    expect(await at(NOW - 9 * MINUTE - 1)).toEqual([]);
    expect(await at(NOW - 9 * MINUTE)).toEqual(["Read: in_progress"]);
    expect(await at(NOW - 7 * MINUTE - 1)).toEqual(["Read: in_progress"]);
    expect(await at(NOW)).toEqual(["Read: completed", "Write: in_progress"]);
    expect(await list.at(NOW - 9 * MINUTE)).toMatchObject({ cwd: CWD, title: "Repair the export" });
  });

  test("has a history, and remarks on refused writes in order of time", async () => {
    const list = await read(worked());
    expect((await list.events()).map(({ at }) => NOW - at)).toEqual([9 * MINUTE, 7 * MINUTE]);
    const moves = (await list.history()).map(({ text, to }) => `${text} ${to}`);
    expect(moves).toEqual(["Read in_progress", "Read completed", "Write in_progress"]);
    const remarks = await list.remarks();
    expect(remarks.map(({ at }) => NOW - at)).toEqual([8 * MINUTE]);
    expect(JSON.stringify(remarks)).toContain("todos must be an array");
  });

  test("is read in full once, with calls, counts and faults", async () => {
    const { path, ...context } = worked();
    appendFileSync(path, "not json\n");
    const list = await read({ ...context });
    const first = await list.readInFull?.();
    expect(first?.events).toHaveLength(2);
    expect(first?.refusals).toHaveLength(1);
    const fault = { session: SESSION, agent: "main", path };
    expect(first?.faults).toEqual([
      {
        ...fault,
        code: "list_rejected",
        line: 5,
        message: "InputValidationError: todos must be an array",
      },
      { ...fault, code: "bad_line", line: 8, message: "not JSON" },
    ]);
    appendFileSync(
      path,
      claudeSession(SESSION, CWD)
        .todos([["Later", "pending"]], NOW)
        .text(),
    );
    expect(await list.readInFull?.()).toBe(first);
    expect(first?.events).toHaveLength(2);
  });

  test("of a subagent names its parent at every time", async () => {
    const context = newContext();
    context.transcript(SESSION, (file, at) => file.prompt("Go", at));
    context.subagent(SESSION, "a1", (file, at) => file.todos([["Sub's", "pending"]], at - HOUR));
    const list = await read(context, SESSION, "a1");
    expect(await list.at(Date.now())).toMatchObject({
      agent: "a1",
      parentAgent: "main",
      todos: [expect.objectContaining({ text: "Sub's" })],
    });
    const source = openSources(context.call).transcripts;
    expect(await source.history({ session: SESSION, agent: "a1" })).toHaveLength(1);
    expect(await source.history({ session: SESSION, agent: "none" })).toEqual([]);
    expect(await source.read({ session: SESSION, agent: "none" })).toBeUndefined();
  });
});

describe("a list of ours", () => {
  test("has the title of the prompt in its transcript, at every time", async () => {
    const context = newContext();
    await context.host({ session: SESSION }, [{ text: "Ours" }]);
    const path = context.transcript(SESSION, (file, at) => file.prompt("Repair the export", at));
    const list = await read(context);
    expect(await list.read()).toMatchObject({ title: "Repair the export" });
    expect(await list.at(Date.now())).toMatchObject({
      title: "Repair the export",
      todos: [expect.objectContaining({ text: "Ours" })],
    });
    expect((await list.readInFull?.())?.live.prompt).toBe("Repair the export");
    expect(path).toContain(SESSION);
    expect(await list.events()).toHaveLength(1);
    expect(await list.history()).toHaveLength(1);
    expect(await list.remarks()).toEqual([]);
  });

  test("without an agent has no transcript to be read", async () => {
    const context = newContext();
    await context.host({ session: "groceries" }, [{ text: "Milk" }]);
    const list = await read(context, "groceries");
    expect(list.readInFull).toBeUndefined();
    const source = openSources(context.call).hosted;
    const id = { session: "groceries", agent: "main" };
    expect(texts((await (await source?.read(id))?.read()) as Track)).toEqual(["Milk: pending"]);
    expect(await source?.read({ ...id, agent: "sub" })).toBeUndefined();
    expect(await source?.history(id)).toHaveLength(1);
  });
});

test("the list of another machine is as it was relayed, and its events are asked for once", async () => {
  const id = { session: "shop@attic", agent: "main" };
  const eventAt = (seq: number, at: number): Event => ({
    seq,
    key: `k${seq}`,
    at,
    by: "agent",
    via: "relay",
    changes: [{ type: "todo.added", todo: { id: `${seq}`, text: `T${seq}`, status: "pending" } }],
  });
  const track = { ...id, title: "Theirs", todos: [], version: 2 } as unknown as Track;
  const found = { track, hosted: false } as unknown as AnyTrack;
  let asked = 0;
  const list = relayedList(found, async () => {
    asked += 1;
    return [eventAt(1, 100), eventAt(2, 200)];
  });
  expect(list.id).toEqual(id);
  expect(await list.read()).toMatchObject({ ...id, title: "Theirs" });
  expect(asked).toBe(0);
  expect((await list.at(100)).todos.map(({ text }) => text)).toEqual(["T1"]);
  expect((await list.at(99)).todos).toEqual([]);
  expect((await list.at(300)).title).toBe("Theirs");
  expect(await list.history()).toHaveLength(2);
  expect(await list.remarks()).toEqual([]);
  expect(await list.events()).toHaveLength(2);
  expect(asked).toBe(1);
});
