import { describe, expect, test } from "vitest";
import { emptyTrack } from "../../src/core/evolve.ts";
import { refusedLabel } from "../../src/core/guidance/refusal.ts";
import { modelChecklist } from "../../src/core/list/markdown.ts";
import type { Change, Event, Rejection } from "../../src/core/model.ts";
import { listEvents } from "../../src/core/stream/from-track.ts";
import { modelText } from "../../src/core/text/model-text.ts";
import { todo, trackOf } from "./track-of.ts";

const before = emptyTrack({ session: "s", agent: "main" });
const after = trackOf(
  [todo("1", { rawStatus: "todo", ref: "r", evidence: ["e"] })],
  {},
  { version: 3, list: 2 },
);

function received(changes: readonly Change[], more: Partial<Event> = {}) {
  return listEvents({ at: 7, changes, ...more }, before, after);
}

const BASE = { sessionId: "s", agentId: "main", agentType: "waymark", timestamp: 7 };
const LIST = {
  ...BASE,
  type: "todo_list",
  eventId: "s:main:todo_list:waymark.3",
  todoId: "2",
  items: [{ id: "1", text: "Todo 1", status: "pending", raw: "todo" }],
};
const noted: Change = { type: "todo.noted", id: "1", note: "n" };

describe("stream events of a list", () => {
  test("contain the whole list and the agent's comment", () => {
    expect(received([noted])).toEqual([LIST]);
    expect(received([noted, noted], { comment: "why" })).toEqual([{ ...LIST, explanation: "why" }]);
    expect(received([{ type: "list.cleared" } as unknown as Change])).toEqual([LIST]);
    expect(
      received([{ type: "mode.changed", mode: "plan" } as Change]).map(({ type }) => type),
    ).toEqual(["mode.changed"]);
  });

  test("contain the difference of two lists if no change is known", () => {
    expect(received([])).toEqual([LIST]);
    expect(listEvents({ at: 7, changes: [] }, after, after)).toEqual([]);
    const [named] = listEvents({ at: 7, changes: [noted] }, before, {
      ...after,
      agentType: "codex",
    });
    expect(named?.agentType).toBe("codex");
  });

  test("contain plans, and refused writes as warnings", () => {
    const changes = [
      { type: "plan.drafted", planId: "p", delta: "1." },
      { type: "plan.proposed", planId: "p", text: "1. a" },
      {
        type: "observed",
        observations: [
          { type: "list.refused", at: 1, why: "too many" },
          { type: "list.refused", at: 1, why: "in part", partial: true },
          { type: "turn.started", at: 1 },
        ],
      },
    ] as readonly Change[];
    expect(received(changes).map(({ type }) => type)).toEqual([
      "plan.delta",
      "plan.proposed",
      "warning",
    ]);
    expect(received(changes).at(-1)).toMatchObject({ code: "list_rejected", message: "too many" });
    const rejected: Rejection[] = [
      { code: "too_many", message: modelText`The list is full.` },
      { code: "too_many", message: modelText`Send less.` },
    ];
    expect(received([noted], { rejected }).at(-1)).toMatchObject({
      type: "warning",
      message: "The list is full. Send less.",
    });
  });
});

test("formats the reasons of a refused write", () => {
  expect(refusedLabel({ at: 1, why: "" })).toBe("List update refused, the list may be out of date");
  expect(refusedLabel({ at: 1, why: "too many" })).toBe("List update refused: too many");
  expect(refusedLabel({ at: 1, why: "x", partial: true })).toBe("List update partly refused: x");
});

test("prints headings, details and notes in a checklist for a model", () => {
  expect(
    String(
      modelChecklist([
        todo("1", { phase: "Build", notes: ["sharp"] }),
        todo("2", { phase: "Build", status: "completed" }),
        todo("3", { owner: "ann" }),
      ]),
    ),
  ).toBe(
    '# Build\n\n- [ ] Todo 1\n  > sharp\n- [x] Todo 2\n\n#\n\n- [ ] Todo 3 <!-- {"owner":"ann"} -->\n',
  );
  expect(String(modelChecklist([todo("1"), todo("2")]))).toBe("- [ ] Todo 1\n- [ ] Todo 2\n");
});
