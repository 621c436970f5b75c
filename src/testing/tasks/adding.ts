import { expect, it } from "vitest";
import { done, only, refusalOf, type TaskCapabilities, type WithFixture } from "./fixture.ts";

const TEXTS = [
  "plain",
  "quotes ' \" ` and \\ backslashes \\n",
  "astral 🧭👩‍👩‍👧‍👦 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
  "'; DROP TABLE tasks; --",
  "<b>tags</b> & </system-reminder>",
  "$1 %s {x} {{y}}",
  "__proto__",
];

/** Fields of tasks, and reading them back. */
export function addingCases(using: WithFixture, capabilities: TaskCapabilities): void {
  it("starts empty", () =>
    using(async ({ store, act }) => {
      expect(store.durable).toBe(capabilities.durable);
      expect(await store.get("t1")).toBeUndefined();
      expect(await store.get("nonsense")).toBeUndefined();
      expect(await store.list()).toStrictEqual([]);
      expect(await store.ready()).toStrictEqual([]);
      expect(await store.events()).toStrictEqual([]);
      expect(await store.counts()).toStrictEqual({
        open: 0,
        claimed: 0,
        done: 0,
        failed: 0,
        cancelled: 0,
        ready: 0,
        delayed: 0,
      });
      expect(refusalOf(await act({ op: "claim", owner: "ann" })).code).toBe("none_ready");
      expect(refusalOf(await act({ op: "claim", owner: "ann", id: "t1" }))).toMatchObject({
        code: "not_found",
        id: "t1",
      });
    }));

  it("adds a task with only a subject", () =>
    using(async ({ store, act }) => {
      const answer = await act({ op: "add", tasks: [{ subject: "  Write\nit " }] });
      const task = only(answer);
      const at = task.createdAt;
      expect(answer).toStrictEqual({
        ok: true,
        duplicate: false,
        seq: 1,
        tasks: [
          {
            id: "t1",
            subject: "Write it",
            status: "open",
            priority: 2,
            labels: [],
            blockedBy: [],
            epoch: 0,
            attempts: 0,
            maxAttempts: 3,
            evidence: [],
            metadata: {},
            createdAt: at,
            updatedAt: at,
          },
        ],
      });
      expect(Math.abs(at - (await store.now()))).toBeLessThan(5_000);
      for (const name of ["t1", "1", "T1"]) expect(await store.get(name)).toStrictEqual(task);
      expect(await store.list()).toStrictEqual([task]);
      expect(await store.ready()).toStrictEqual([task]);
    }));

  it("stores every field of a draft", () =>
    using(async ({ store, act }) => {
      const first = only(await act({ op: "add", tasks: [{ subject: "first" }] }));
      const draft = {
        subject: "second",
        description: "Two\n\nparagraphs",
        activeText: "Doing the second",
        priority: 0,
        labels: ["a", "b"],
        parent: first.id,
        blockedBy: [first.id],
        maxAttempts: 7,
        metadata: { a: [1, { b: null }], __proto: "x", text: "nul \u0000, lone \ud800" },
        ref: "old-2",
        author: "ann",
        createdAt: 1_700_000_000_000,
      } as const;
      const task = only(await act({ op: "add", tasks: [draft] }));
      expect(task).toStrictEqual({
        ...draft,
        id: "t2",
        status: "open",
        epoch: 0,
        attempts: 0,
        evidence: [],
        updatedAt: task.updatedAt,
      });
      expect(await store.get("t2")).toStrictEqual(task);
    }));

  it("stores texts unchanged", () =>
    using(async ({ store, act }) => {
      const drafts = TEXTS.map((text) => ({
        subject: text,
        description: `${text}\n\n\t${text}`,
        labels: [text],
        ref: text,
      }));
      const tasks = done(await act({ op: "add", tasks: drafts }));
      expect(tasks.map(({ subject }) => subject)).toStrictEqual(TEXTS);
      expect(await store.list()).toStrictEqual(tasks);
      for (const [place, text] of TEXTS.entries())
        expect(await store.list({ label: text })).toStrictEqual([tasks[place]]);
    }));

  it("refuses invalid fields and names them", () =>
    using(async ({ store, act }) => {
      const bad: [object, string][] = [
        [{ subject: "" }, "subject is empty."],
        [{}, "subject is required."],
        [{ subject: "a\u0000b" }, "subject contains a control character: U+0000 at position 2."],
        [{ subject: "x", description: "\u001b[31m" }, "description contains a control character"],
        [{ subject: "x", priority: 9 }, "priority must be a priority from 0 (most urgent) to 4."],
        [{ subject: "x", labels: "a" }, "labels must be a list of texts."],
        [{ subject: "x".repeat(501) }, "subject has 501 characters; the limit is 500."],
        [{ subject: "x", metadata: [] }, "metadata must be an object."],
        [{ subject: "x", status: "claimed" }, "status must be open, done, failed or cancelled."],
      ];
      for (const [draft, problem] of bad) {
        const refusal = refusalOf(await act({ op: "add", tasks: [draft as never] }));
        expect(refusal.code).toBe("invalid_input");
        expect(refusal.message).toContain(problem);
      }
      const two = await act({ op: "add", tasks: [{ subject: "fine" }, { subject: " " }] });
      expect(refusalOf(two).message).toBe("tasks[1].subject is empty. Nothing was changed.");
      expect(await store.list()).toStrictEqual([]);
      expect(await store.events()).toStrictEqual([]);
    }));

  it("adds tasks that refer to each other in one step, or none", () =>
    using(async ({ store, act, ids }) => {
      const tasks = done(
        await act({
          op: "add",
          tasks: [
            { subject: "last", ref: "c", blockedBy: ["a", "b"] },
            { subject: "first", ref: "a" },
            { subject: "middle", ref: "b", blockedBy: ["a"], parent: "c" },
          ],
        }),
      );
      expect(tasks.map(({ id, blockedBy, parent }) => [id, blockedBy, parent])).toStrictEqual([
        ["t1", ["t2", "t3"], undefined],
        ["t2", [], undefined],
        ["t3", ["t2"], "t1"],
      ]);
      expect(await ids(store.ready())).toStrictEqual(["t2"]);
      const bad = await act({
        op: "add",
        tasks: [{ subject: "fine" }, { subject: "not", blockedBy: ["nowhere"] }],
      });
      expect(refusalOf(bad)).toMatchObject({ code: "not_found", id: "nowhere" });
      expect(await ids(store.list())).toStrictEqual(["t1", "t2", "t3"]);
      expect(only(await act({ op: "add", tasks: [{ subject: "next" }] })).id).toBe("t4");
    }));

  it("resolves names within one call and refuses a name that is used twice", () =>
    using(async ({ store, act, ids }) => {
      const pair = [
        { subject: "last", blockedBy: ["first"], parent: "first" },
        { subject: "first", name: "first" },
      ];
      expect(
        done(await act({ op: "add", tasks: pair })).map(({ id, blockedBy, parent }) => [
          id,
          blockedBy,
          parent,
        ]),
      ).toStrictEqual([
        ["t1", ["t2"], "t2"],
        ["t2", [], undefined],
      ]);
      // Names are not stored: later calls may use them again.
      expect(done(await act({ op: "add", tasks: pair }))[0]?.blockedBy).toStrictEqual(["t4"]);
      const twice = await act({ op: "add", tasks: [...pair, { subject: "other", name: "first" }] });
      expect(refusalOf(twice)).toMatchObject({ code: "invalid_input" });
      expect(refusalOf(twice).message).toContain("tasks[2].name");
      expect(await ids(store.list())).toStrictEqual(["t1", "t2", "t3", "t4"]);
    }));

  it("adds no second task for a known ref", () =>
    using(async ({ store, act }) => {
      const first = only(await act({ op: "add", tasks: [{ subject: "one", ref: "r" }] }));
      const again = await act({
        op: "add",
        tasks: [
          { subject: "other", ref: "r" },
          { subject: "new", blockedBy: ["r"] },
        ],
      });
      expect(done(again).map(({ id, subject }) => [id, subject])).toStrictEqual([
        ["t1", "one"],
        ["t2", "new"],
      ]);
      expect(done(again)[0]).toStrictEqual(first);
      expect((await store.get("t2"))?.blockedBy).toStrictEqual(["t1"]);
    }));

  it("sorts ready tasks by priority, then age", () =>
    using(async ({ store, add, ids }) => {
      await add("later");
      await add("urgent", { priority: 0 });
      await add("old", { createdAt: 1_600_000_000_000 });
      await add("someday", { priority: 4 });
      await add("labelled", { priority: 1, labels: ["ui"] });
      expect(await ids(store.ready())).toStrictEqual(["t2", "t5", "t3", "t1", "t4"]);
      expect(await ids(store.ready({ limit: 2 }))).toStrictEqual(["t2", "t5"]);
      expect(await ids(store.ready({ label: "ui" }))).toStrictEqual(["t5"]);
      expect(await ids(store.ready({ limit: 0 }))).toStrictEqual([]);
    }));

  it("lists by status, owner, label and parent", () =>
    using(async ({ store, act, add, claim, finish, ids }) => {
      await add("a", { labels: ["x", "y"] });
      await add("b", { labels: ["y"], parent: "t1" });
      await add("c", { parent: "t1" });
      await claim("ann", "t1");
      await finish(await claim("bob", "t2"));
      await act({ op: "cancel", id: "t3", reason: "no need" });
      expect(await ids(store.list({ status: "claimed" }))).toStrictEqual(["t1"]);
      expect(await ids(store.list({ status: "done" }))).toStrictEqual(["t2"]);
      expect(await ids(store.list({ status: "open" }))).toStrictEqual([]);
      expect(await ids(store.list({ owner: "bob" }))).toStrictEqual(["t2"]);
      expect(await ids(store.list({ label: "y" }))).toStrictEqual(["t1", "t2"]);
      expect(await ids(store.list({ label: "y", owner: "ann" }))).toStrictEqual(["t1"]);
      expect(await ids(store.list({ parent: "1" }))).toStrictEqual(["t2", "t3"]);
      await act({ op: "edit", id: "t3", set: { addBlockedBy: ["t1", "t2"] } });
      expect(await ids(store.list({ blockedBy: "T2" }))).toStrictEqual(["t3"]);
      expect(await ids(store.list({ blockedBy: "t3" }))).toStrictEqual([]);
      expect(await ids(store.list({ limit: 2 }))).toStrictEqual(["t1", "t2"]);
      expect(await store.counts()).toStrictEqual({
        open: 0,
        claimed: 1,
        done: 1,
        failed: 0,
        cancelled: 1,
        ready: 0,
        delayed: 0,
      });
    }));
}
