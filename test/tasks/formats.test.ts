import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readClaudeTasks } from "../../src/agents/claude-code/task-files.ts";
import { readBacklog } from "../../src/tasks/formats/backlog.ts";
import { readBeads } from "../../src/tasks/formats/beads.ts";
import { readTaskExport, readTaskLines } from "../../src/tasks/formats/jsonl.ts";
import { printTaskMarkdown, readMarkdownTasks } from "../../src/tasks/formats/markdown.ts";
import { inOrder } from "../../src/tasks/formats/order.ts";
import { readTaskMaster } from "../../src/tasks/formats/task-master.ts";
import { memoryTaskStore } from "../../src/tasks/memory.ts";
import type { TaskDraft } from "../../src/tasks/model.ts";
import { CODE_POINT } from "../code-point.ts";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

describe("tasks of other tools", () => {
  it("beads: issues with their dependencies", () => {
    const lines = [
      {
        id: "bd-1",
        title: "Epic",
        status: "open",
        priority: 0,
        issue_type: "epic",
        created_at: "2026-01-02T03:04:05Z",
      },
      {
        id: "bd-2",
        title: "Parse",
        description: "Read it.",
        design: "By hand.",
        acceptance_criteria: "It reads.",
        notes: "",
        status: "closed",
        priority: 1,
        assignee: "ann",
        labels: ["core"],
        close_reason: "shipped",
        closed_at: "2026-01-02T03:04:06Z",
        created_by: "pat",
      },
      {
        id: "bd-3",
        title: "Test",
        status: "in_progress",
        assignee: "bob",
        dependencies: [
          { issue_id: "bd-3", depends_on_id: "bd-2", type: "blocks" },
          { issue_id: "bd-3", depends_on_id: "bd-1", type: "parent-child" },
          { issue_id: "bd-3", depends_on_id: "bd-9", type: "related" },
        ],
      },
    ];
    const text = `${lines.map((line) => JSON.stringify(line)).join("\n")}\nnot json\n{"id":"x"}\n`;
    expect(readBeads(text)).toStrictEqual({
      drafts: [
        {
          subject: "Epic",
          priority: 0,
          labels: [],
          blockedBy: [],
          metadata: { issue_type: "epic" },
          ref: "beads:bd-1",
          status: "open",
          createdAt: AT,
        },
        {
          subject: "Parse",
          description: "Read it.\n\n## Design\n\nBy hand.\n\n## Acceptance criteria\n\nIt reads.",
          priority: 1,
          labels: ["core"],
          blockedBy: [],
          metadata: { assignee: "ann" },
          ref: "beads:bd-2",
          author: "pat",
          status: "done",
          owner: "ann",
          reason: "shipped",
          finishedAt: AT + 1_000,
        },
        {
          subject: "Test",
          labels: [],
          parent: "beads:bd-1",
          blockedBy: ["beads:bd-2"],
          metadata: { assignee: "bob", status: "in_progress" },
          ref: "beads:bd-3",
          status: "open",
        },
      ],
      skipped: [
        { where: "line 4", why: "is not JSON" },
        { where: "line 5", why: "has no id and title" },
      ],
      names: new Map([
        ["beads:bd-1", "bd-1"],
        ["beads:bd-2", "bd-2"],
        ["beads:bd-3", "bd-3"],
      ]),
    });
  });

  it("Task Master: tags, subtasks, both forms", () => {
    const task = {
      id: 2,
      title: "Core",
      description: "d",
      details: "how",
      testStrategy: "run it",
      status: "in-progress",
      priority: "high",
      dependencies: [1],
      subtasks: [
        { id: 1, title: "Part", status: "done", dependencies: [] },
        { id: 2, title: "Next part", status: "pending", dependencies: [1, "1.1"] },
      ],
    };
    const first = { id: 1, title: "First", status: "done", dependencies: [], priority: "low" };
    const { drafts, skipped } = readTaskMaster(
      JSON.stringify({ master: { tasks: [first, task, { id: 3 }] }, ui: { tasks: [first] } }),
      "src",
    );
    expect(skipped).toStrictEqual([{ where: "master[2]", why: "has no id and title" }]);
    expect(drafts).toStrictEqual([
      {
        subject: "First",
        priority: 3,
        blockedBy: [],
        metadata: {},
        status: "done",
        labels: [],
        ref: "task-master:src:master:1",
      },
      {
        subject: "Core",
        description: "d\n\n## Details\n\nhow\n\n## Test strategy\n\nrun it",
        priority: 1,
        blockedBy: ["task-master:src:master:1"],
        metadata: { status: "in-progress" },
        status: "open",
        labels: [],
        ref: "task-master:src:master:2",
      },
      {
        subject: "Part",
        blockedBy: [],
        metadata: {},
        status: "done",
        labels: [],
        parent: "task-master:src:master:2",
        ref: "task-master:src:master:2.1",
      },
      {
        subject: "Next part",
        blockedBy: ["task-master:src:master:2.1", "task-master:src:master:1.1"],
        metadata: {},
        status: "open",
        labels: [],
        parent: "task-master:src:master:2",
        ref: "task-master:src:master:2.2",
      },
      {
        subject: "First",
        priority: 3,
        blockedBy: [],
        metadata: {},
        status: "done",
        labels: ["ui"],
        ref: "task-master:src:ui:1",
      },
    ]);
    expect(readTaskMaster(JSON.stringify({ tasks: [first] }), "src").drafts).toHaveLength(1);
    expect(readTaskMaster("{", "src").skipped).toHaveLength(1);
  });

  it("Backlog.md: the fields at the top and the text below", () => {
    const file = (path: string, content: string) => ({ path, content });
    const { drafts, skipped } = readBacklog(
      [
        file(
          "tasks/task-1 - Read.md",
          "---\nid: TASK-1\ntitle: 'Read: the ''files'''\nstatus: In Progress\nassignee: []\ncreated_date: '2026-01-02 03:04'\nlabels:\n  - core\n  - 'a: b'\ndependencies: []\npriority: high\n---\n\n## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nAll of them.\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n- [ ] #1 reads\n",
        ),
        file(
          "tasks/task-1.1 - Part.md",
          '---\nid: task-1.1\ntitle: "Say \\"hi\\""\nstatus: To Do\nlabels: ["x", "y"]\ndependencies: [task-1, TASK-7]\nparent_task_id: task-1\nmilestone: M1\n---\n',
        ),
        file("completed/task-2 - Old.md", "---\nid: task-2\ntitle: Old\nstatus: To Do\n---\n"),
        file("tasks/notes.md", "no fields"),
      ],
      "src",
    );
    expect(skipped).toStrictEqual([
      { where: "tasks/notes.md", why: "has no front matter (line 1)" },
    ]);
    expect(drafts).toStrictEqual([
      {
        subject: "Read: the 'files'",
        description: "All of them.\n\n## Acceptance Criteria\n- [ ] #1 reads",
        priority: 1,
        labels: ["core", "a: b"],
        blockedBy: [],
        metadata: { status: "In Progress" },
        ref: "backlog:src:task-1",
        status: "open",
        createdAt: Date.UTC(2026, 0, 2, 3, 4),
      },
      {
        subject: 'Say "hi"',
        labels: ["x", "y"],
        parent: "backlog:src:task-1",
        blockedBy: ["backlog:src:task-1", "backlog:src:task-7"],
        metadata: { milestone: "M1" },
        ref: "backlog:src:task-1.1",
        status: "open",
      },
      {
        subject: "Old",
        labels: [],
        blockedBy: [],
        metadata: {},
        ref: "backlog:src:task-2",
        status: "done",
      },
    ]);
  });

  it("Claude Code: one file per task", () => {
    const file = (id: string, more: object) => ({
      path: `${id}.json`,
      content: JSON.stringify({
        id,
        subject: `s${id}`,
        description: "d",
        status: "pending",
        blocks: [],
        blockedBy: [],
        ...more,
      }),
    });
    const { drafts, skipped } = readClaudeTasks(
      [
        file("1", { status: "completed", owner: "lead" }),
        file("2", {
          status: "in_progress",
          owner: "w",
          activeForm: "Doing",
          blockedBy: ["1"],
          metadata: { a: 1 },
        }),
        file("3", { metadata: { _internal: true } }),
        { path: "4.json", content: "{" },
      ],
      "team",
    );
    expect(skipped).toStrictEqual([{ where: "4.json", why: "is not JSON" }]);
    expect(drafts).toStrictEqual([
      {
        subject: "s1",
        description: "d",
        blockedBy: [],
        metadata: {},
        ref: "claude:team:1",
        status: "done",
        owner: "lead",
      },
      {
        subject: "s2",
        description: "d",
        activeText: "Doing",
        blockedBy: ["claude:team:1"],
        metadata: { a: 1, owner: "w", status: "in_progress" },
        ref: "claude:team:2",
        status: "open",
      },
    ]);
  });

  it("Markdown: headings become labels, notes the description", () => {
    const { drafts, skipped } = readMarkdownTasks(
      "# Now\n\n- [ ] Think\n  > twice\n- [x] Build\n- [ ] Think\n- [?] odd\n",
      "src",
    );
    expect(skipped).toHaveLength(1);
    expect(
      drafts.map(({ subject, description, labels, status }) => [
        subject,
        description,
        labels,
        status,
      ]),
    ).toStrictEqual([
      ["Think", "twice", ["Now"], "open"],
      ["Build", undefined, ["Now"], "done"],
      ["Think", undefined, ["Now"], "open"],
    ]);
    expect(new Set(drafts.map(({ ref }) => ref)).size).toBe(3);
  });

  it("never throws, whatever the file contains", () => {
    const piece = fc.oneof(
      fc.json(),
      fc.constantFrom(
        "---\nid: 1\ntitle: x\n",
        "\n---\n",
        '{"tasks":[',
        '{"id":1,"title":null}',
        "- [ ] x",
        "\n",
      ),
      fc.string({ unit: CODE_POINT }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const content = pieces.join("");
        const files = [{ path: "1.json", content }];
        for (const { drafts } of [
          readBeads(content),
          readTaskMaster(content, "s"),
          readBacklog(files, "s"),
          readClaudeTasks(files, "s"),
          readMarkdownTasks(content, "s"),
          readTaskExport(content, "s"),
        ])
          inOrder(drafts);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the order of an import", () => {
  it("sorts blockers first and skips missing references and cycles", () => {
    const draft = (ref: string, blockedBy: string[], parent?: string): TaskDraft => ({
      subject: ref,
      ref,
      blockedBy,
      ...(parent !== undefined && { parent }),
    });
    const { drafts, skipped } = inOrder([
      draft("a", ["b", "z"]),
      draft("b", ["c"], "d"),
      draft("c", ["a"]),
      draft("d", []),
    ]);
    expect(drafts).toStrictEqual([
      draft("c", []),
      draft("d", []),
      draft("b", ["c"], "d"),
      draft("a", ["b"]),
    ]);
    expect(skipped).toStrictEqual([
      { where: "c", why: "and a would wait for each other" },
      { where: "a", why: "names z, which is not there" },
    ]);
  });

  it("skips duplicate refs and keeps the names of the source", () => {
    const { drafts, names } = readTaskMaster(
      JSON.stringify({
        master: {
          tasks: [
            { id: 1, title: "A", dependencies: [99] },
            { id: 1, title: "B" },
          ],
        },
        ui: { tasks: [{ id: 2, title: "C", dependencies: [2] }] },
      }),
      "src",
    );
    const ordered = inOrder(drafts, names);
    expect(ordered.drafts.map(({ subject, blockedBy }) => [subject, blockedBy])).toStrictEqual([
      ["A", []],
      ["C", []],
    ]);
    expect(ordered.skipped).toStrictEqual([
      { where: "1", why: "is there twice; the first one counts" },
      { where: "1", why: "names 99, which is not there" },
      { where: "2 of ui", why: "and 2 of ui would wait for each other" },
    ]);
  });

  it("does not overflow the stack on a long chain", () => {
    const chain = Array.from({ length: 50_000 }, (_, n) => ({
      subject: `s${n}`,
      ref: `r${n}`,
      blockedBy: n < 49_999 ? [`r${n + 1}`] : [],
    }));
    expect(inOrder(chain).drafts[0]?.ref).toBe("r49999");
  });
});

describe("our own formats", () => {
  async function exported() {
    const store = memoryTaskStore({ now: () => AT });
    const sender = { by: "user", via: "test" } as const;
    const word = {
      description: "Two\n\nlines",
      labels: ["a"],
      metadata: { n: [1] },
      priority: 0,
    } as const;
    const two = { subject: "two", status: "done", owner: "ann", evidence: ["x"] } as const;
    store.apply({ op: "add", tasks: [{ subject: "one", ...word }, two] }, sender);
    store.apply(
      { op: "add", tasks: [{ subject: "three", blockedBy: ["t1", "t2"], parent: "t1" }] },
      sender,
    );
    return store.list();
  }

  it("JSONL: an export imports as the same tasks", async () => {
    const before = await exported();
    const lines = before.map((task) => JSON.stringify(task)).join("\n");
    const store = memoryTaskStore({ now: () => AT });
    const { drafts, skipped } = readTaskExport(lines, "src");
    expect(skipped).toStrictEqual([]);
    store.apply({ op: "add", tasks: inOrder(drafts).drafts }, { by: "user", via: "test" });
    const after = store.list().map(({ ref, ...task }) => task);
    expect(after).toStrictEqual(before);
    const again = store.apply({ op: "add", tasks: drafts }, { by: "user", via: "test" });
    expect(again).toMatchObject({ ok: true });
    expect(store.list()).toHaveLength(3);
  });

  it("Markdown: an export imports with the same dependencies", async () => {
    const text = printTaskMarkdown(await exported());
    const store = memoryTaskStore({ now: () => AT });
    store.apply(
      { op: "add", tasks: inOrder(readMarkdownTasks(text, "src").drafts).drafts },
      { by: "user", via: "test" },
    );
    expect(
      store.list().map(({ subject, status, blockedBy, description, priority, evidence }) => ({
        subject,
        status,
        blockedBy,
        description,
        priority,
        evidence,
      })),
    ).toStrictEqual([
      {
        subject: "one",
        status: "open",
        blockedBy: [],
        description: "Two\n\nlines",
        priority: 0,
        evidence: [],
      },
      {
        subject: "two",
        status: "done",
        blockedBy: [],
        description: undefined,
        priority: 2,
        evidence: ["x"],
      },
      {
        subject: "three",
        status: "open",
        blockedBy: ["t1", "t2"],
        description: undefined,
        priority: 2,
        evidence: [],
      },
    ]);
  });

  it("JSONL: reads times as text and priorities as words, keeps unknown fields", () => {
    const line = {
      title: "x",
      priority: "high",
      createdAt: "2026-01-02T03:04:05Z",
      team: "a",
      status: "closed",
    };
    expect(readTaskLines(JSON.stringify(line)).drafts).toStrictEqual([
      { subject: "x", priority: 1, metadata: { team: "a" }, status: "done", createdAt: AT },
    ]);
  });
});
