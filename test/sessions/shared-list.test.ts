import { describe, expect, test } from "vitest";
import type { Todo, Track } from "../../src/core/model.ts";
import type { LiveTrack } from "../../src/core/stream/fold.ts";
import { withDocument } from "../../src/sessions/transcripts/shared-list.ts";

const todo = (id: string, ref: string | undefined, more: Partial<Todo> = {}): Todo => ({
  id,
  text: `Do ${ref ?? id}`,
  status: "pending",
  createdAt: 10,
  movedBy: "agent",
  ...(ref !== undefined && { ref }),
  ...more,
});
const live = (todos: readonly Todo[], more: Partial<LiveTrack> = {}): LiveTrack =>
  ({
    session: "s",
    agent: "main",
    stepwise: true,
    track: { todos, nextId: todos.length + 1, updatedAt: 20 } as unknown as Track,
    ...more,
  }) as LiveTrack;
const document = (todos: readonly Todo[], updatedAt = 30) =>
  ({ todos, updatedAt }) as unknown as Track;
const merged = (own: LiveTrack, other: Track) => withDocument(own, other).track;

describe("a list of which subagents wrote documents", () => {
  test("has the todos of both, numbered as the agent numbers them", () => {
    const own = live([todo("1", "1"), todo("2", "10")]);
    const other = document([
      todo("a", "2", { blockedBy: ["b", "c", "9"] }),
      todo("b", "1"),
      todo("c", "11"),
    ]);
    expect(merged(own, other)).toStrictEqual({
      nextId: 5,
      updatedAt: 30,
      todos: [
        todo("1", "1"),
        todo("3", "2", { blockedBy: ["1", "4", "9"] }),
        todo("2", "10"),
        todo("4", "11"),
      ],
    });
  });

  test("keeps its order if the agent does not number them", () => {
    const own = live([todo("1", "b"), todo("2", undefined)]);
    expect(
      merged(own, document([todo("x", "a"), todo("y", "1")])).todos.map(({ id }) => id),
    ).toEqual(["1", "2", "3", "4"]);
  });

  test("is not sorted if one todo has no number", () => {
    const own = live([todo("1", "3"), todo("2", "1"), todo("3", "x")]);
    expect(merged(own, document([])).todos).toEqual(own.track.todos);
    const numbered = live(own.track.todos.slice(0, 2));
    expect(merged(numbered, document([])).todos.map(({ ref }) => ref)).toEqual(["1", "3"]);
  });

  test("is that of the file if it is complete there, or the document cannot be matched", () => {
    const other = document([todo("a", "2")]);
    const { stepwise: _, ...whole } = live([todo("1", "1")]);
    expect(withDocument(whole as LiveTrack, other)).toBe(whole);
    const own = live([todo("1", "1")]);
    expect(withDocument(own, document([todo("a", "2"), todo("b", undefined)]))).toBe(own);
    expect(withDocument(own, document([todo("a", "2"), todo("b", "2")]))).toBe(own);
  });

  test("has the newer status of each todo", () => {
    const status = (own: Partial<Todo>, other: Partial<Todo>, updatedAt: number) =>
      merged(live([todo("1", "1", own)]), document([todo("a", "1", other)], updatedAt));
    const done = { status: "completed", finishedAt: 15, startedAt: 12, movedBy: "agent" } as const;
    expect(status({}, done, 10).todos).toStrictEqual([todo("1", "1", done)]);
    expect(status({}, done, 9)).toStrictEqual({
      todos: [todo("1", "1")],
      nextId: 2,
      updatedAt: 20,
    });
    const started = { status: "in_progress", startedAt: 14 } as const;
    expect(status(started, done, 13).todos[0]?.status).toBe("in_progress");
    expect(status(started, done, 14).todos).toStrictEqual([
      todo("1", "1", { ...done, startedAt: 14 }),
    ]);
    const finished = { status: "completed", finishedAt: 14, rawStatus: "ok" } as const;
    expect(status(finished, {}, 13).todos[0]?.status).toBe("completed");
    expect(status(finished, {}, 14).todos).toStrictEqual([todo("1", "1")]);
    expect(status({}, { status: "blocked", rawStatus: "stuck" }, 14).todos).toStrictEqual([
      todo("1", "1", { status: "blocked", rawStatus: "stuck" }),
    ]);
    // The same status with other details is not another status.
    expect(status(finished, { status: "completed", finishedAt: 30 }, 40).todos).toStrictEqual([
      todo("1", "1", finished),
    ]);
  });
});
