import { describe, expect, test } from "vitest";
import type { Todo } from "../../../src/core/model.ts";
import { viewOf } from "../../../src/core/views/view.ts";
import { renderList } from "../../../src/surfaces/text/index.ts";
import { NOW, optionsOf, sampleView, todoOf, trackOf } from "./fixture.ts";

const lines = (...all: readonly string[]) => all.join("\n");

const viewWith = (todos: readonly Todo[]) => viewOf(trackOf(todos, { title: "Work" }), NOW);

describe("gencode: boxed", () => {
  test("gencode: draws a box with ✓ ▶ ○, the active text of the current todo, and the progress", () => {
    expect(renderList(sampleView(), optionsOf({ style: "boxed" }))).toBe(
      lines(
        "┌─ Tasks ────────────────────────────────────┐",
        "│ ✓ Sort every record                        │",
        "│ ▶ Cutting all stale data                   │",
        "│ ○ Measure the speed of reading             │",
        "│                                            │",
        "│ Progress: 1/3 (33%)                        │",
        "└────────────────────────────────────────────┘",
      ),
    );
  });

  test("gencode: draws the box in ASCII, with the list's title", () => {
    const view = sampleView({ title: "Docs" });
    expect(renderList(view, optionsOf({ style: "boxed", unicode: false, width: 40 }))).toBe(
      lines(
        "+- Docs -------------------------------+",
        "| [x] Sort every record                |",
        "| [>] Cutting all stale data           |",
        "| [ ] Measure the speed of reading     |",
        "|                                      |",
        "| Progress: 1/3 (33%)                  |",
        "+--------------------------------------+",
      ),
    );
  });
});

describe("op tool: tree", () => {
  const notes = (count: number) => Array.from({ length: count }, (_, place) => `Note ${place + 1}`);
  const view = viewWith([
    todoOf("1", "Read", { phase: "Look", status: "completed", notes: notes(12) }),
    todoOf("2", "Cut", { phase: "Do", status: "in_progress", notes: notes(2) }),
    todoOf("3", "Sew", { phase: "Do", notes: notes(1) }),
    todoOf("4", "Rest"),
  ]);

  test("op tool: draws phases as a tree, note counts as superscripts, and the notes of the current todo", () => {
    expect(renderList(view, optionsOf({ style: "tree" }))).toBe(
      lines(
        "Work 1/4",
        "├─ Look 1/1",
        "│  └─ ✓ Read¹²",
        "├─ Do 0/2",
        "│  ├─ ▸ Cut²",
        "│  │    │ Note 1",
        "│  │    │ Note 2",
        "│  └─ ○ Sew¹",
        "└─ ○ Rest",
      ),
    );
  });

  test("op tool: spells out note counts in ASCII", () => {
    expect(renderList(view, optionsOf({ style: "tree", unicode: false }))).toBe(
      lines(
        "Work 1/4",
        "|- Look 1/1",
        "|  `- [x] Read (12 notes)",
        "|- Do 0/2",
        "|  |- [>] Cut (2 notes)",
        "|  |      | Note 1",
        "|  |      | Note 2",
        "|  `- [ ] Sew (1 note)",
        "`- [ ] Rest",
      ),
    );
  });

  const ten = viewWith(
    Array.from({ length: 10 }, (_, place) => todoOf(`${place}`, `Todo ${place}`)),
  );

  test("op tool: shows eight todos by default", () => {
    expect(renderList(ten, optionsOf({ style: "tree" }))).toBe(
      lines(
        "Work 0/10",
        ...Array.from({ length: 8 }, (_, place) => `├─ ○ Todo ${place}`),
        "└─ ↓ 2 more",
      ),
    );
  });

  test("op tool: shows all todos if expanded", () => {
    expect(renderList(ten, optionsOf({ style: "tree", all: true }))).toBe(
      lines(
        "Work 0/10",
        ...Array.from({ length: 9 }, (_, place) => `├─ ○ Todo ${place}`),
        "└─ ○ Todo 9",
      ),
    );
  });
});

describe("agent-chatter: plan", () => {
  const view = viewWith([
    todoOf("1", "Research existing metrics", { status: "in_progress" }),
    todoOf("2", "Design the collection", { status: "completed" }),
    todoOf("3", "Implement", { status: "cancelled" }),
    todoOf("4", "Measure"),
  ]);
  const member = { name: "Lead", color: "magenta" };

  test("agent-chatter: draws the member's name, ⭕ for open, ✅ for completed, ❌ for cancelled", () => {
    expect(renderList(view, optionsOf({ style: "plan", member }))).toBe(
      lines(
        "📋 Plan (Lead):",
        "⭕ Research existing metrics",
        "✅ Design the collection",
        "❌ Implement",
        "⭕ Measure",
      ),
    );
  });

  test("agent-chatter: draws the name bold in its color, completed todos green, all others yellow", () => {
    expect(renderList(view, optionsOf({ style: "plan", member, color: true }))).toBe(
      lines(
        "\u001b[1;35m📋 Plan (Lead):\u001b[0m",
        "\u001b[33m⭕ Research existing metrics\u001b[0m",
        "\u001b[32m✅ Design the collection\u001b[0m",
        "\u001b[33m❌ Implement\u001b[0m",
        "\u001b[33m⭕ Measure\u001b[0m",
      ),
    );
  });

  const header = (color: string) =>
    renderList(
      view,
      optionsOf({ style: "plan", member: { name: "Lead", color }, color: true }),
    ).split("\n")[0];

  test("agent-chatter: accepts color names, bright names and hex; ignores unknown colors", () => {
    expect(["Cyan", "redBright", "#ff8800", "constructor"].map(header)).toEqual([
      "\u001b[1;36m📋 Plan (Lead):\u001b[0m",
      "\u001b[1;91m📋 Plan (Lead):\u001b[0m",
      "\u001b[1;38;5;214m📋 Plan (Lead):\u001b[0m",
      "\u001b[1m📋 Plan (Lead):\u001b[0m",
    ]);
  });

  test("agent-chatter: names the agent without a member, and nothing without either", () => {
    const first = (agentType?: string) =>
      renderList(
        viewOf(
          trackOf(
            view.rows.map((row) => row.todo),
            agentType ? { agentType } : {},
          ),
          NOW,
        ),
        optionsOf({ style: "plan", unicode: false }),
      ).split("\n")[0];
    expect([first("codex"), first()]).toEqual(["Plan (Codex):", "Plan:"]);
  });
});

describe("Claude Code: checkbox", () => {
  const view = viewWith([
    todoOf("1", "Fix authentication bug", { status: "in_progress" }),
    todoOf("2", "Write unit tests"),
    todoOf("3", "Research existing code", { status: "completed" }),
  ]);

  test("Claude Code: draws a count, the current todo bold, completed ones dim and struck", () => {
    expect(renderList(view, optionsOf({ style: "checkbox", color: true }))).toBe(
      lines(
        "\u001b[1m3 todos:\u001b[0m",
        "  ☐ \u001b[1mFix authentication bug\u001b[0m",
        "  ☐ Write unit tests",
        "  \u001b[38;5;247m☒ \u001b[0m\u001b[9;38;5;247mResearch existing code\u001b[0m",
      ),
    );
  });

  test("Claude Code: draws ASCII boxes, and names the current todo without color", () => {
    expect(renderList(view, optionsOf({ style: "checkbox", unicode: false }))).toBe(
      lines(
        "3 todos:",
        "  [ ] Fix authentication bug (in progress)",
        "  [ ] Write unit tests",
        "  [x] Research existing code",
      ),
    );
  });

  test("Claude Code: uses the singular for one todo", () => {
    expect(renderList(viewWith([todoOf("1", "Write")]), optionsOf({ style: "checkbox" }))).toBe(
      lines("1 todo:", "  ☐ Write"),
    );
  });
});
