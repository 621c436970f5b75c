import { describe, expect, test } from "vitest";
import type { SessionState } from "../../src/core/activity/session-state.ts";
import type { Todo, Track } from "../../src/core/model.ts";
import {
  alarmText,
  type Board,
  type BoardOptions,
  boardOf,
  countStates,
  headline,
} from "../../src/core/views/board.ts";
import {
  choicesOf,
  type FilterName,
  type Filters,
  filtered,
  hasFilters,
  NO_FILTERS,
  type StateFilter,
  toggled,
} from "../../src/core/views/find/filters.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { searchBoard } from "../../src/core/views/search.ts";
import { todo, trackOf } from "./track-of.ts";

const NOW = 1_000_000_000;
const DAY = 24 * 60 * 60_000;

function row(
  session: string,
  state: SessionState,
  track: Partial<Track> = {},
  more: Partial<MergedTrack> = {},
): MergedTrack {
  return {
    track: { ...trackOf([]), session, openedAt: 1, ...track },
    hosted: false,
    state,
    findings: [],
    updatedAt: NOW,
    ...more,
  };
}

const board = (tracks: readonly MergedTrack[], options: Partial<BoardOptions> = {}) =>
  boardOf(tracks, { now: NOW, ...options });
const sessions = ({ groups }: Board) =>
  Object.fromEntries(
    groups.map(({ group, rows }) => [group, rows.map(({ track }) => track.session)]),
  );

describe("a board", () => {
  test("shows each state in its group, and groups with rows only", () => {
    const states: SessionState[] = [
      "ended",
      "finished",
      "idle",
      "looping",
      "needs_you",
      "stalled",
      "working",
    ];
    const all = board(states.map((state) => row(state, state)));
    expect(sessions(all)).toEqual({
      "needs you": ["needs_you"],
      working: ["looping", "stalled", "working"],
      idle: ["ended", "idle"],
      finished: ["finished"],
    });
    expect(all.counts).toEqual({ "needs you": 1, working: 3, idle: 2, finished: 1 });
    expect(all.stuck).toBe(2);
    expect(countStates([row("a", "working")], NOW)).toEqual({
      counts: { "needs you": 0, working: 1, idle: 0, finished: 0 },
      stuck: 0,
    });
    expect(sessions(board([row("a", "idle"), row("b", "working")], { only: "idle" }))).toEqual({
      idle: ["a"],
    });
  });

  test("orders active rows by when they were opened, stuck ones first, the others by activity", () => {
    const active = [
      row("old", "working", { openedAt: 10 }, { updatedAt: NOW }),
      row("new", "working", { openedAt: 20 }, { updatedAt: NOW - 5 }),
      row("b", "working", { openedAt: 10 }),
      row("stuck", "stalled", { openedAt: 5 }),
    ];
    const quiet = [
      row("late", "idle", { openedAt: 1 }, { updatedAt: NOW - 1 }),
      row("early", "idle", { openedAt: 9 }, { updatedAt: NOW - 9 }),
      row("also early", "idle", { openedAt: 9 }, { updatedAt: NOW - 9 }),
    ];
    const expected = {
      working: ["stuck", "new", "b", "old"],
      idle: ["late", "also early", "early"],
    };
    expect(sessions(board([...active, ...quiet]))).toEqual(expected);
    expect(sessions(board([...active, ...quiet].toReversed()))).toEqual(expected);
  });

  test("counts rows without recent activity as older unless a subagent is active", () => {
    const old = { updatedAt: NOW - DAY };
    const tracks = [
      row("a", "idle", {}, old),
      row("b", "idle", {}, { updatedAt: NOW - DAY + 1 }),
      row("c", "idle", {}, old),
      row("c", "working", { agent: "child", parentAgent: "main" }, { updatedAt: NOW - 1 }),
    ];
    expect(sessions(board(tracks))).toEqual({ idle: ["c", "b"] });
    expect(board(tracks).older).toBe(1);
    expect(board(tracks, { keep: 10 }).older).toBe(2);
    expect(sessions(board(tracks, { search: "a" }))).toEqual({ idle: ["a"] });
  });

  test("lists subagents under their parent, by start time", () => {
    const child = (agent: string, openedAt: number, parentAgent: string) =>
      row("s", "working", { agent, openedAt, parentAgent });
    const [only, ...others] = board([
      child("b", 2, "main"),
      child("a", 3, "main"),
      child("deep", 1, "a"),
      child("lost", 4, "nobody"),
      row("s", "working", { agent: "main" }),
    ]).groups.flatMap(({ rows }) => rows);
    expect(others).toEqual([]);
    expect(only?.children.map(({ track }) => track.agent)).toEqual(["b", "a", "lost"]);
    expect(only?.children[1]?.children.map(({ track }) => track.agent)).toEqual(["deep"]);
  });

  test("lists agent types, the most frequent first, and filters by one", () => {
    const of = (session: string, agentType?: string) =>
      row(session, "idle", agentType === undefined ? {} : { agentType });
    const all = [of("1", "y"), of("2", "x"), of("3", "z"), of("4", "z"), of("5")];
    expect(board(all).agentTypes).toEqual(["z", "", "x", "y"]);
    const filtered = board(all, { agentType: "z" });
    expect([sessions(filtered), filtered.agentTypes]).toEqual([
      { idle: ["3", "4"] },
      ["z", "", "x", "y"],
    ]);
    expect(sessions(board(all, { agentType: "" }))).toEqual({ idle: ["5"] });
  });

  test("finds all search terms in any text of a row or its subagents", () => {
    const todos = [todo("1", { text: "Cut cloth", notes: ["sharp"], phase: "Prepare" })];
    const tracks = [
      row("one", "idle", { todos, cwd: "/home/ann/tailor/", agentType: "codex" }),
      row("two", "idle", { title: "Other" }, { plan: plan("Buy thread\nSew the seam") }),
      row("two", "idle", {
        agent: "child",
        parentAgent: "main",
        todos: [todo("1", { text: "Iron" })],
      }),
    ];
    const found = (search: string) =>
      board(tracks, { search }).groups.flatMap(({ rows }) =>
        rows.map(({ track }) => track.session),
      );
    expect(["cut", "SHARP", "prepare", "tailor", "codex", "one"].map(found)).toEqual(
      Array.from({ length: 6 }, () => ["one"]),
    );
    expect(["thread", "iron", "other"].map(found)).toEqual([["two"], ["two"], ["two"]]);
    expect(["cut sharp", "cut thread", "ann"].map(found)).toEqual([["one"], [], []]);
  });

  test("finds todos, notes and plan lines, and rows by name", () => {
    const todos: Todo[] = [
      todo("1", { text: "Cut cloth", notes: ["cut twice", "sharp"] }),
      todo("2", { text: "Sew" }),
    ];
    const tracks = [
      row(
        "one",
        "idle",
        { todos, title: "Cut and sew" },
        { plan: plan("Plan\n  cut first \ncut") },
      ),
      row("one", "idle", {
        agent: "child",
        parentAgent: "main",
        title: "Cutter",
        agentType: "codex",
      }),
    ];
    const rows = board(tracks).groups.flatMap((group) => group.rows);
    const found = (search: string) =>
      searchBoard(rows, search).map(({ kind, text, todo: at }) => [kind, text, at?.todo.id]);
    expect(found("cut")).toEqual([
      ["todo", "Cut cloth", "1"],
      ["note", "cut twice", "1"],
      ["plan", "cut first", undefined],
      ["track", "Cutter", undefined],
    ]);
    expect(found("codex cutter")).toEqual([["track", "Cutter", undefined]]);
    expect([found(" "), found("nothing"), found("cut sharp")]).toEqual([[], [], []]);
    const many = Array.from({ length: 300 }, (_, n) => todo(String(n), { text: "Cut" }));
    expect(
      searchBoard(board([row("m", "idle", { todos: many })]).groups[0]?.rows ?? [], "cut"),
    ).toHaveLength(200);
  });
});

function plan(text: string) {
  return { id: "p", text, state: "proposed" as const, at: 1 };
}

describe("filters", () => {
  const done = todo("1", { status: "completed" });
  const proven = { ...done, check: { command: "npm test", exitCode: 0, at: 2 } };
  const all = board([
    row("a", "working", { agentType: "codex", cwd: "/srv/shop" }),
    row("b", "stalled", { agentType: "codex", cwd: "/srv/web/" }),
    row("c", "finished", { agentType: "gemini", cwd: "C:\\src\\shop", todos: [done, proven] }),
    row("d", "finished", { todos: [proven] }),
    row("e", "idle", { agentType: "amp", todos: [done] }),
  ]);
  const found = (filters: Partial<Filters>) =>
    filtered(all, { ...NO_FILTERS, ...filters }).flatMap(({ rows }) =>
      rows.map(({ track }) => track.session),
    );

  test("keep rows with one of the chosen values of each filter", () => {
    expect(found({}).sort()).toEqual(["a", "b", "c", "d", "e"]);
    expect(found({ agent: ["codex"] })).toEqual(["b", "a"]);
    expect(found({ agent: ["codex", "amp"] })).toEqual(["b", "a", "e"]);
    expect(found({ project: ["shop"] })).toEqual(["a", "c"]);
    expect(found({ agent: ["codex"], project: ["shop"] })).toEqual(["a"]);
    expect(found({ agent: [""] })).toEqual(["d"]);
    expect(found({ state: ["finished"] }).sort()).toEqual(["c", "d"]);
    expect(found({ state: ["stuck"] })).toEqual(["b"]);
    expect(found({ state: ["unproven"] })).toEqual(["c"]);
    expect(found({ agent: ["stuck"] })).toEqual([]);
    expect(filtered(all, { ...NO_FILTERS, agent: ["none"] })).toEqual([]);
  });

  test("are chosen from the values of the rows, the most frequent first", () => {
    const choices = (name: FilterName, filters = NO_FILTERS, states?: readonly StateFilter[]) =>
      choicesOf(all, filters, name, states).map(({ value, count }) => `${value} ${count}`);
    expect(choices("agent")).toEqual(["codex 2", "amp 1", "gemini 1"]);
    expect(choices("project")).toEqual(["shop 2", "web 1"]);
    expect(choices("agent", { ...NO_FILTERS, agent: ["none", "codex"] })).toEqual([
      "codex 2",
      "amp 1",
      "gemini 1",
      "none 0",
    ]);
    expect(choices("state")).toEqual(["needs you 0", "working 2", "idle 1", "finished 2"]);
    expect(choices("state", NO_FILTERS, ["stuck", "unproven"])).toEqual(["stuck 1", "unproven 1"]);
  });

  test("are toggled by value", () => {
    const one = toggled(NO_FILTERS, "agent", "codex");
    expect(one).toEqual({ ...NO_FILTERS, agent: ["codex"] });
    expect(toggled(one, "agent", "amp").agent).toEqual(["codex", "amp"]);
    expect(toggled(toggled(one, "agent", "amp"), "agent", "codex").agent).toEqual(["amp"]);
    expect([hasFilters(NO_FILTERS), hasFilters(one)]).toEqual([false, true]);
  });
});

test("formats headline and alarm", () => {
  const counts = (needs: number, working: number, idle = 0, finished = 0) => ({
    "needs you": needs,
    working,
    idle,
    finished,
  });
  const words = [
    [counts(0, 0), 0],
    [counts(1, 0), 0],
    [counts(2, 1), 1],
    [counts(0, 3), 2],
    [counts(0, 3), 0],
    [counts(0, 0, 1, 2), 0],
    [counts(0, 0, 2), 0],
    [counts(0, 0, 0, 1), 0],
  ] as const;
  expect(words.map(([each, stuck]) => headline({ counts: each, stuck }))).toEqual([
    "No agents.",
    "1 needs you.",
    "2 need you. 1 working (stuck).",
    "3 working (2 stuck).",
    "3 working.",
    "No agent is working. 1 idle, 2 finished.",
    "No agent is working. 2 idle.",
    "No agent is working. 1 finished.",
  ]);
  expect(words.slice(3, 8).map(([each, stuck]) => headline({ counts: each, stuck }, 1))).toEqual([
    "3 working (2 stuck). 1 finished unproven.",
    "3 working. 1 finished unproven.",
    "No agent is working. 1 idle, 2 finished (1 unproven).",
    "No agent is working. 2 idle.",
    "No agent is working. 1 finished (1 unproven).",
  ]);
  expect(words.slice(0, 5).map(([each, stuck]) => alarmText({ counts: each, stuck }))).toEqual([
    "",
    "1 needs you",
    "2 need you, 1 stuck",
    "2 stuck",
    "",
  ]);
});
