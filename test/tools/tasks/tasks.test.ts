import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength } from "../../../src/core/text/escape.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import type { TaskDraft } from "../../../src/tasks/model.ts";
import type { ProveTask } from "../../../src/tasks/prove.ts";
import type { TaskStore } from "../../../src/tasks/store.ts";
import { findTaskTool } from "../../../src/tools/tasks/index.ts";
import { runTaskTool } from "../../../src/tools/tasks/run.ts";
import { type TaskAgent, taskDefinitionOf } from "../../../src/tools/tasks/task-tool.ts";

const BY_HAND = { by: "user", via: "test" } as const;

function newTeam(...drafts: TaskDraft[]) {
  let now = 1_000_000;
  const store = memoryTaskStore({ now: () => now });
  if (drafts.length > 0) void store.apply({ op: "add", tasks: drafts }, BY_HAND);
  const pass = (time: number) => {
    now += time;
  };
  return { store, pass };
}

function newDesk(store: TaskStore, owner: string): TaskAgent {
  return { owner, claims: new Map(), store: () => store };
}

async function call(
  agent: TaskAgent,
  input: unknown,
  key?: string,
  name = "tasks",
  prove?: ProveTask,
) {
  const tool = findTaskTool(name);
  if (!tool) throw new Error(`no tool ${name}`);
  return runTaskTool(tool, input, { agent, key, prove });
}

describe("tasks", () => {
  it("claims, finishes and shows unblocked tasks without an epoch in any call", async () => {
    const { store } = newTeam(
      { subject: "Lay the floor", priority: 0, name: "floor" },
      { subject: "Paint", blockedBy: ["floor"] },
    );
    const ann = newDesk(store, "ann");
    expect(await call(ann, {})).toEqual({
      ok: true,
      text: 'Ready: 1\nt1 P0 "Lay the floor"',
      data: { ready: ["t1"] },
      rejected: [],
    });
    const claimed = await call(ann, { claim: "next" });
    expect(claimed).toEqual({
      ok: true,
      text: 'You own t1 (P0) "Lay the floor"\nThe claim lasts 5 min and renews while you work.',
      data: { task: "t1", epoch: 1 },
      rejected: [],
    });
    const done = await call(ann, { finish: "t1", evidence: "a photo", claim: "next" });
    expect(done.text.split("\n").slice(0, 3)).toEqual([
      "t1 is done.",
      'Ready now: t2 P2 "Paint"',
      'You own t2 (P2) "Paint"',
    ]);
    expect(await store.get("t1")).toMatchObject({
      status: "done",
      owner: "ann",
      evidence: ["a photo"],
    });
  });

  it("names the new owner to an agent whose claim expired, and does not invite it to claim again", async () => {
    const { store, pass } = newTeam({ subject: "Paint" });
    const [ann, bob] = [newDesk(store, "ann"), newDesk(store, "bob")];
    await call(ann, { claim: "t1" });
    expect(await call(bob, { claim: "t1" })).toMatchObject({ ok: false, data: { code: "held" } });
    pass(300_001);
    expect((await call(bob, { claim: "next" })).ok).toBe(true);
    const late = await call(ann, { finish: "t1" });
    expect(late).toEqual({
      ok: false,
      text: 'Your claim on t1 expired, and "bob" owns it now. Stop working on it and tell the user what you changed.',
      data: { code: "stale_epoch" },
      rejected: [{ code: "stale_epoch", message: late.text }],
    });
    expect(await call(bob, { finish: "t1", epoch: 1 })).toMatchObject({ ok: false });
    expect(await call(bob, { finish: "t1", epoch: 2 })).toMatchObject({ ok: true });
  });

  it("recognizes the owner after a restart of the program", async () => {
    const { store, pass } = newTeam({ subject: "Paint" }, { subject: "Sweep" });
    await call(newDesk(store, "ann"), { claim: "t1" });
    const again = newDesk(store, "ann");
    expect((await call(again, { claim: "t1" })).text).toContain("You already own t1");
    pass(300_001);
    // No other agent claimed it, so the inactive owner can still finish it.
    expect((await call(newDesk(store, "ann"), { finish: "t1" })).text).toBe("t1 is done.");
    expect((await call(newDesk(store, "ann"), { finish: "t1" })).ok).toBe(true);
  });

  it("repeats the answer for a known key, and executes an equal call with a new one", async () => {
    const { store } = newTeam({ subject: "One" }, { subject: "Two" });
    const ann = newDesk(store, "ann");
    const first = await call(ann, { claim: "next" }, "k1");
    expect(await call(ann, { claim: "next" }, "k1")).toEqual(first);
    expect(first.data).toEqual({ task: "t1", epoch: 1 });
    await call(ann, { finish: "t1" }, "k2");
    expect((await call(ann, { claim: "next" }, "k1")).data).toEqual({ task: "t2", epoch: 1 });
    await call(ann, { add: [{ subject: "Three" }] }, "k3");
    expect((await call(ann, { add: [{ subject: "Three" }] }, "k3")).text).toContain("t3");
    expect(await store.list()).toHaveLength(3);
  });

  it("fails, releases, adds, blocks, shows and finds", async () => {
    const { store } = newTeam({ subject: "One", maxAttempts: 1 });
    const ann = newDesk(store, "ann");
    await call(ann, { claim: 1 });
    expect((await call(ann, { release: "t1", reason: "no time" })).text).toBe(
      "t1 is released. Other agents can claim it.",
    );
    await call(ann, { claim: ["t1"] });
    expect((await call(ann, { fail: "t1", reason: "no paint" })).text).toBe(
      "t1 failed (attempt 1 of 1). It can't be claimed again.",
    );
    expect(await call(ann, { fail: "t1" })).toMatchObject({
      ok: false,
      text: "fail needs a reason, so the next agent knows what was tried.",
    });
    expect((await call(ann, { add: ["Two", { subject: "Three", priority: 0 }] })).text).toBe(
      'Added:\nt2 P2 "Two"\nt3 P0 "Three"',
    );
    expect((await call(ann, { block: { task: "t2", by: "t3" } })).text).toBe(
      't2 P2 (blocked by t3) "Two"',
    );
    expect(await call(ann, { block: { task: "t3", by: ["t2"] } })).toMatchObject({
      ok: false,
      data: { code: "cycle" },
    });
    expect((await call(ann, { show: "t1" })).text).toBe('t1 P2 [failed] "One"\nReason: "no paint"');
    expect((await call(ann, { find: "open" })).text).toBe('t2 P2 "Two"\nt3 P0 "Three"');
    expect((await call(ann, { find: "claimed" })).text).toBe("No task is claimed.");
    expect(await call(ann, { claim: "t2" })).toMatchObject({
      ok: false,
      data: { code: "blocked" },
    });
    expect(await call(ann, { show: "t99" })).toMatchObject({
      text: 'No task has the id "t99". Call tasks without arguments to see what is ready.',
    });
    expect(await call(ann, { paint: "t2" })).toMatchObject({
      ok: false,
      text: 'Unknown field "paint". Valid fields: claim, finish, evidence, fail, release, reason, add, block, show, from, find, epoch. Nothing was changed.',
    });
  });

  it("adds tasks that refer to each other by name, all or none", async () => {
    const { store } = newTeam({ subject: "First" });
    const ann = newDesk(store, "ann");
    const added = await call(ann, {
      add: [
        { subject: "Publish", blockedBy: ["build", "t1"] },
        { subject: "Build", name: "build" },
        // Models call it id, too, and send numbers.
        { subject: "Announce", id: 7, blockedBy: "build" },
        { subject: "Rest", blockedBy: 7 },
      ],
    });
    expect(added.text.split("\n")).toEqual([
      "Added:",
      't2 P2 (blocked by t3, t1) "Publish"',
      't3 P2 "Build"',
      't4 P2 (blocked by t3) "Announce"',
      't5 P2 (blocked by t4) "Rest"',
    ]);
    const ids = () => store.list().map(({ id }) => id);
    for (const [add, text] of [
      [[{ subject: "A" }, { subject: "B", blockedBy: ["nope"] }], 'No task has the id "nope"'],
      [
        [
          { subject: "A", name: "x" },
          { subject: "B", name: "x" },
        ],
        "tasks[1].name is the name of an earlier task in this call.",
      ],
      [
        [
          { subject: "A", name: "x", blockedBy: ["y"] },
          { subject: "B", name: "y", blockedBy: ["x"] },
        ],
        'This would create a dependency cycle: "x" → "y" → "x".',
      ],
    ] as const) {
      expect((await call(ann, { add })).text).toContain(text);
      expect(ids()).toEqual(["t1", "t2", "t3", "t4", "t5"]);
    }
  });

  it("reports the steps before a refusal", async () => {
    const { store } = newTeam({ subject: "Only" });
    const ann = newDesk(store, "ann");
    await call(ann, { claim: "next" });
    expect(await call(ann, { finish: "t1", claim: "next" })).toMatchObject({
      ok: false,
      text: "t1 is done.\nNot done: There are no open tasks. Add a task, or tell the user.",
      data: { code: "none_ready" },
    });
  });

  it("returns a long description in parts that add up to it", async () => {
    const description = Array.from({ length: 300 }, (_, n) => `line "${n}" \\ <b> 語`).join("\n");
    const { store } = newTeam({ subject: "Long", description });
    const ann = newDesk(store, "ann");
    let text = "";
    let from = 0;
    for (let count = 0; count < 100; count++) {
      const { text: printed } = await call(ann, { show: "t1", ...(from > 0 && { from }) });
      expect(byteLength(JSON.stringify(printed))).toBeLessThan(900);
      const [body = "", next] = printed.split('\n… Read on with {"show":"t1","from":');
      text += JSON.parse(body.slice(body.indexOf("Description: ") + "Description: ".length));
      if (next === undefined) break;
      from = Number.parseInt(next, 10);
    }
    expect(text).toBe(description);
  });

  describe("a task with a check", () => {
    const PASSED = { check: "test", tree: "4b825dc6", exitCode: 0, at: 1, machine: "m" } as const;

    it("is finished with the proof of our own run, never with one that the model sends", async () => {
      const { store } = newTeam();
      const ann = newDesk(store, "ann");
      await call(ann, { add: [{ subject: "Fix it", check: "test" }] });
      expect((await call(ann, { claim: "t1" })).text).toContain(
        'To finish it, this check has to pass: "test"',
      );
      const finish = { finish: "t1", evidence: "npm test passed" };
      const refused = await call(ann, finish);
      expect(refused).toMatchObject({ ok: false, data: { code: "unproven" } });
      for (const forged of [{ proofs: [PASSED] }, { proof: PASSED }, { force: true }])
        expect(await call(ann, { ...finish, ...forged })).toMatchObject({ ok: false });
      expect(await store.get("t1")).toMatchObject({ status: "claimed" });
      const asked: string[] = [];
      const done = await call(ann, finish, "k", "tasks", async ({ id }) => {
        asked.push(id);
        return { ok: true, proof: PASSED };
      });
      expect([done.text, asked]).toEqual(["t1 is done.", ["t1"]]);
      expect(await store.get("t1")).toMatchObject({ status: "done", proof: PASSED });
    });

    it("stays open while its check fails, and the answer has the last lines", async () => {
      const { store } = newTeam({ subject: "Fix it", check: "test" });
      const ann = newDesk(store, "ann");
      await call(ann, { claim: "t1" });
      const output = `${"many lines of progress\n".repeat(100)}1 failed: adds up\n`;
      const prove: ProveTask = async () => ({ ok: false, reason: "exit code 1", output });
      const { ok, text } = await call(ann, { finish: "t1" }, undefined, "tasks", prove);
      expect(ok).toBe(false);
      expect(text).toMatch(/^t1 is not finished: its check "test" has not passed: "exit code 1"/);
      expect(text).toContain("1 failed: adds up");
      expect(await store.get("t1")).toMatchObject({ status: "claimed" });
      for (const unit of ["語", '"', "\\", "<system>"]) {
        const long = async () =>
          ({ ok: false, reason: unit.repeat(900), output: unit.repeat(9_000) }) as const;
        const said = await call(ann, { finish: "t1" }, undefined, "tasks", long);
        expect(byteLength(JSON.stringify(said.text))).toBeLessThan(1_024);
      }
    });
  });

  it("keeps the definition below 1,500 bytes and every answer below 1 KB", async () => {
    const tool = findTaskTool("tasks");
    if (!tool) throw new Error("no tool");
    const { description, inputSchema } = taskDefinitionOf(tool);
    expect(byteLength(description) + byteLength(JSON.stringify(inputSchema))).toBeLessThan(1_500);
    const text = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 500 }),
      fc.constantFrom('"'.repeat(500), "\\".repeat(500), "<system>".repeat(60), "語".repeat(500)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 12 }),
        text,
        async (subjects, word) => {
          const { store } = newTeam();
          const agent = newDesk(store, "o".repeat(200));
          const other = newDesk(store, '"'.repeat(200));
          const printed = [
            await call(agent, {
              add: subjects.map((subject) => ({ subject, description: `${word}\n`.repeat(40) })),
            }),
            await call(other, { claim: "next" }),
            await call(agent, { claim: "t1" }),
            await call(agent, { claim: "next" }),
            await call(agent, { block: { task: "t1", by: subjects } }),
            await call(other, { finish: "t1", evidence: word }),
            await call(other, { release: "t1", reason: word }),
            await call(other, { claim: "next" }),
            await call(other, { fail: "t1", reason: word }),
            await call(agent, { show: "t1" }),
            await call(agent, { show: word }),
            await call(agent, { find: "open" }),
            await call(agent, { find: word }),
            await call(agent, {}),
          ];
          for (const { text: shown, data } of printed) {
            expect(byteLength(shown)).toBeLessThan(1_024);
            expect(byteLength(JSON.stringify({ text: shown, ...data }))).toBeLessThan(1_024);
            expect(shown).not.toMatch(/<\s*system/);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("no input makes it throw or apply half of a call", async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (input) => {
        const { store } = newTeam({ subject: "One" });
        const before = await store.get("t1");
        const { ok } = await call(newDesk(store, "ann"), input);
        if (!ok) expect(await store.get("t1")).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });
});
