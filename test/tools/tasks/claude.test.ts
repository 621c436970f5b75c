import { describe, expect, it } from "vitest";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import { findTaskTool } from "../../../src/tools/tasks/index.ts";
import { runTaskTool } from "../../../src/tools/tasks/run.ts";
import type { TaskAgent } from "../../../src/tools/tasks/task-tool.ts";

function newTeam() {
  const store = memoryTaskStore();
  const agent = (owner: string): TaskAgent => ({ owner, claims: new Map(), store: () => store });
  return { store, agent };
}

async function call(agent: TaskAgent, name: string, input: unknown) {
  const tool = findTaskTool(name);
  if (!tool) throw new Error(`no tool ${name}`);
  return runTaskTool(tool, input, { agent });
}

const create = (agent: TaskAgent, subject: string, more = {}) =>
  call(agent, "TaskCreate", { subject, description: `About ${subject}`, ...more });

describe("Claude Code's task tools", () => {
  it("create, list and get tasks in Claude Code's format", async () => {
    const { store, agent } = newTeam();
    const ann = agent("ann");
    expect(
      (await create(ann, "Paint", { activeForm: "Painting", metadata: { a: 1 } })).data,
    ).toEqual({ task: { id: "t1", subject: "Paint" } });
    await create(ann, "Sweep");
    await call(ann, "TaskUpdate", { taskId: "2", addBlockedBy: ["1"] });
    expect(await store.get("t1")).toMatchObject({
      subject: "Paint",
      description: "About Paint",
      activeText: "Painting",
      metadata: { a: 1 },
      author: "ann",
    });
    expect((await call(ann, "TaskList", {})).data).toEqual({
      tasks: [
        { id: "t1", subject: "Paint", status: "pending", blockedBy: [] },
        { id: "t2", subject: "Sweep", status: "pending", blockedBy: ["t1"] },
      ],
    });
    expect((await call(ann, "TaskGet", { taskId: "t1" })).data).toEqual({
      task: {
        id: "t1",
        subject: "Paint",
        description: "About Paint",
        status: "pending",
        activeForm: "Painting",
        blocks: ["t2"],
        blockedBy: [],
        metadata: { a: 1 },
      },
    });
    expect(await call(ann, "TaskGet", { taskId: "9" })).toMatchObject({
      ok: true,
      text: 'No task has the id "9". Call TaskList to see the tasks.',
      data: { task: null },
    });
  });

  it("in_progress claims a task for one agent; completed finishes it and unblocks others", async () => {
    const { store, agent } = newTeam();
    const [ann, bob] = [agent("ann"), agent("bob")];
    await create(ann, "Paint");
    await create(ann, "Sweep");
    await call(ann, "TaskUpdate", { taskId: "t1", addBlocks: ["t2"] });
    expect(await call(bob, "TaskUpdate", { taskId: "t2", status: "in_progress" })).toMatchObject({
      ok: false,
      data: {
        success: false,
        taskId: "t2",
        updatedFields: [],
        error: "t2 is blocked by t1, not done yet. Work on a different task.",
      },
    });
    expect((await call(ann, "TaskUpdate", { taskId: 1, status: "in_progress" })).data).toEqual({
      success: true,
      taskId: "t1",
      updatedFields: ["status"],
      statusChange: { from: "pending", to: "in_progress" },
    });
    const refused = await call(bob, "TaskUpdate", { taskId: "t1", status: "in_progress" });
    expect([refused.ok, refused.text]).toEqual([
      false,
      expect.stringMatching(
        /^t1 is claimed by "ann" until \d\d:\d\d\. Work on a different task\.$/,
      ),
    ]);
    expect((await call(bob, "TaskUpdate", { taskId: "t1", status: "completed" })).ok).toBe(false);
    expect((await call(ann, "TaskUpdate", { taskId: "t1", status: "completed" })).ok).toBe(true);
    expect((await call(bob, "TaskList", {})).data).toEqual({
      tasks: [
        { id: "t1", subject: "Paint", status: "completed", owner: "ann", blockedBy: [] },
        { id: "t2", subject: "Sweep", status: "pending", blockedBy: [] },
      ],
    });
    expect(await store.get("t1")).toMatchObject({ status: "done", owner: "ann" });
  });

  it("assigns a blocked task, which its owner claims once it can start", async () => {
    const { store, agent } = newTeam();
    const [ann, bob] = [agent("ann"), agent("bob")];
    await create(ann, "Paint");
    await create(ann, "Sweep", { metadata: { room: "hall" } });
    await call(ann, "TaskUpdate", { taskId: "t2", addBlockedBy: ["t1"] });
    expect((await call(ann, "TaskUpdate", { taskId: "t2", owner: "bob" })).data).toEqual({
      success: true,
      taskId: "t2",
      updatedFields: ["owner"],
    });
    const { text, data } = await call(ann, "TaskGet", { taskId: "t2" });
    expect(text).toContain('t2 "Sweep": pending, assigned to "bob"');
    expect(data).toMatchObject({ task: { status: "pending", owner: "bob", blockedBy: ["t1"] } });
    // The task has no owner yet, so no lease runs.
    expect(await store.get("t2")).toMatchObject({ status: "open" });
    await call(ann, "TaskUpdate", { taskId: "t1", status: "in_progress" });
    await call(ann, "TaskUpdate", { taskId: "t1", status: "completed" });
    expect((await call(bob, "TaskUpdate", { taskId: "t2", status: "in_progress" })).ok).toBe(true);
    expect(await store.get("t2")).toMatchObject({ status: "claimed", owner: "bob" });
  });

  it("release, reopen and cancel tasks; null removes a metadata key", async () => {
    const { store, agent } = newTeam();
    const ann = agent("ann");
    const update = (more: object) => call(ann, "TaskUpdate", { taskId: "t1", ...more });
    await create(ann, "Paint", { metadata: { a: 1, b: 2 } });
    expect((await update({ metadata: { a: null, c: [3] }, subject: "Paint it" })).data).toEqual({
      success: true,
      taskId: "t1",
      updatedFields: ["subject", "metadata"],
    });
    await update({ status: "in_progress" });
    expect((await update({ status: "pending" })).data).toMatchObject({
      statusChange: { from: "in_progress", to: "pending" },
    });
    await update({ status: "completed" });
    expect((await update({ status: "pending" })).ok).toBe(true);
    expect(await store.get("t1")).toMatchObject({
      status: "open",
      subject: "Paint it",
      metadata: { b: 2, c: [3] },
    });
    expect((await update({ status: "deleted" })).data).toEqual({
      success: true,
      taskId: "t1",
      updatedFields: ["deleted"],
    });
    expect((await call(ann, "TaskList", {})).data).toEqual({ tasks: [] });
    expect((await update({ status: "paused" })).text).toMatch(
      /^status must be pending, in_progress, completed or deleted, not "paused"\./,
    );
  });

  it("claim a task under another name, and let only its owner hand it over", async () => {
    const { store, agent } = newTeam();
    const [lead, bob] = [agent("lead"), agent("session-2")];
    await create(lead, "Paint");
    expect((await call(lead, "TaskUpdate", { taskId: "t1", owner: "painter" })).data).toMatchObject(
      { updatedFields: ["owner", "status"] },
    );
    expect(await store.get("t1")).toMatchObject({ status: "claimed", owner: "painter" });
    expect((await call(bob, "TaskUpdate", { taskId: "t1", owner: "bob" })).ok).toBe(false);
    const taken = { taskId: "t1", status: "in_progress", owner: "painter" };
    expect((await call(bob, "TaskUpdate", taken)).ok).toBe(true);
    expect((await call(bob, "TaskUpdate", { taskId: "t1", status: "completed" })).ok).toBe(true);
    expect(await store.get("t1")).toMatchObject({ status: "done", owner: "painter" });
  });
});
