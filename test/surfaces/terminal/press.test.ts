import { describe, expect, test } from "vitest";
import { planMark } from "../../../src/core/plan/decide.ts";
import { newKeyboard } from "../../../src/surfaces/terminal/keys/keys.ts";
import { press } from "../../../src/surfaces/terminal/keys/press.ts";
import {
  type Act,
  type BoardState,
  newState,
  rowsOf,
} from "../../../src/surfaces/terminal/state.ts";
import { backlog } from "./backlog.ts";
import { keyOf, NOW, PLAN, team, worldOf } from "./world.ts";

const tasks = backlog();
const world = { ...worldOf(team()), tasks };
const size = { columns: 80, rows: 40 };
const [first] = rowsOf(world.board);

/** Where a person ends up who presses these keys, and what they asked for on the way. */
function pressed(input: string, from: Partial<BoardState> = {}) {
  let state: BoardState = { ...newState(false), selected: first?.key, ...from };
  const acts: Act[] = [];
  const keyboard = newKeyboard();
  const keys = [...input].flatMap((character) => {
    const read = keyboard.read(character);
    return character === "\x1b" ? [...read, ...keyboard.rest()] : read;
  });
  for (const key of keys) {
    const next = press(state, key, world, size);
    state = next.state;
    if (next.act) acts.push(next.act);
  }
  return { state, acts };
}

const sessionOf = (state: BoardState) =>
  rowsOf(world.board).find(({ key }) => key === state.selected)?.track.session;
const checkout = { session: "checkout", agent: "main" };
const notes = { session: "notes", agent: "main" };
const onNotes = { place: "track" as const, selected: keyOf(world, "notes") };

describe("keys on the board", () => {
  test("move through the groups from top to bottom, and stop at the ends", () => {
    const visited = ["", "j", "jj", "jjj", "jjjj", "jjjjj", "jjjjjj", "kk", "G", "Gg"].map((keys) =>
      sessionOf(pressed(keys).state),
    );
    expect(visited).toEqual([
      "checkout",
      "cart",
      "staging",
      "refunds",
      "notes",
      "start",
      "start",
      "checkout",
      "start",
      "checkout",
    ]);
  });

  test("page down and page up move by a screen of rows, and stop at the ends", () => {
    const low = { columns: 80, rows: 12 };
    const turn = (from: BoardState, name: "page down" | "page up", count = 1): BoardState =>
      count === 0 ? from : turn(press(from, { name }, world, low).state, name, count - 1);
    const top: BoardState = { ...newState(false), selected: first?.key };
    expect(sessionOf(turn(top, "page down"))).toBe("refunds");
    expect(sessionOf(turn(top, "page down", 2))).toBe("start");
    expect(sessionOf(turn(turn(top, "page down", 2), "page up"))).toBe("staging");
    expect(sessionOf(turn(turn(top, "page down", 2), "page up", 2))).toBe("checkout");
    const help: BoardState = { ...newState(false), place: "help" };
    expect(turn(help, "page down", 2).scroll).toBe(12);
    expect(turn(turn(help, "page down", 2), "page up").scroll).toBe(6);
  });

  test("page down in a list moves by what the screen shows of it", () => {
    const list: BoardState = {
      ...newState(false),
      place: "track",
      selected: keyOf(world, "refunds"),
    };
    const paged = (rows: number) =>
      press(list, { name: "page down" }, world, { columns: 80, rows }).state.item;
    const down = (count: number) => pressed("j".repeat(count), list).state.item;
    expect([paged(10), paged(9), paged(6)]).toEqual([down(4), down(3), down(1)]);
  });

  test("enter opens the plan of whoever waits, the list of any other; escape leads back", () => {
    expect(pressed("\r").state.place).toBe("plan");
    expect(pressed("j\r").state.place).toBe("track");
    expect(pressed("j\r\x1b").state.place).toBe("tracks");
  });

  test("a plan is approved at once, rejected and commented in words", () => {
    const seen = planMark({ id: "p1", text: PLAN });
    expect(pressed("a").acts).toEqual([{ type: "plan", id: checkout, decision: "approve", seen }]);
    expect(pressed("rtoo big\r").acts).toEqual([
      { type: "plan", id: checkout, decision: "reject", comment: "too big", seen },
    ]);
    expect(pressed("r\r").acts).toEqual([{ type: "plan", id: checkout, decision: "reject", seen }]);
    expect(pressed("rno\x1b").acts).toEqual([]);
    expect(pressed("cq?\r").acts).toEqual([
      { type: "plan", id: checkout, decision: "comment", comment: "q?" },
    ]);
    const none = pressed("ja");
    expect([none.acts, none.state.said]).toEqual([[], "No plan waits here."]);
  });

  test("a plan is rejected as it was when the reason was begun", () => {
    const begun = pressed("rtoo big").state;
    const changed = team().map((each) =>
      each.plan ? { ...each, plan: { ...each.plan, text: "1. Another one" } } : each,
    );
    const { act } = press(begun, { name: "enter" }, { ...worldOf(changed), tasks }, size);
    expect(act).toMatchObject({ decision: "reject", seen: planMark({ id: "p1", text: PLAN }) });
  });

  test("a list that its agent keeps is not changed", () => {
    const opened = { place: "track" as const, selected: keyOf(world, "refunds") };
    for (const key of [" ", "x", "m", "n", "e", "T"]) {
      const { acts, state } = pressed(key, opened);
      expect([key, acts, state.said]).toEqual([
        key,
        [],
        "This list is kept by Claude Code: it is shown here, but only Claude Code changes it.",
      ]);
    }
  });

  test("todos of ours: finish, reopen, drop and take back, note, add, move", () => {
    const on = (keys: string) => pressed(keys, onNotes).acts;
    const target = { ref: "2" };
    expect(on(" ")).toEqual([{ type: "ops", id: notes, ops: [{ op: "finish", target }] }]);
    expect(on("k ")).toEqual([
      { type: "ops", id: notes, ops: [{ op: "reopen", target: { ref: "1" } }] },
    ]);
    expect(on("x")).toEqual([{ type: "ops", id: notes, ops: [{ op: "drop", target }] }]);
    expect(on("xu").at(-1)).toEqual({ type: "ops", id: notes, ops: [{ op: "reopen", target }] });
    expect(on(" u").at(-1)).toEqual({ type: "ops", id: notes, ops: [{ op: "reopen", target }] });
    expect(on("k u").at(-1)).toEqual({
      type: "ops",
      id: notes,
      ops: [{ op: "finish", target: { ref: "1" } }],
    });
    expect(on("mSee the wiki\r")).toEqual([
      { type: "ops", id: notes, ops: [{ op: "note", target, text: "See the wiki" }] },
    ]);
    expect(on("T")).toEqual([{ type: "promote", id: notes, todo: "2" }]);
    expect(on("nOne more\x7fE\r")).toEqual([
      { type: "ops", id: notes, ops: [{ op: "add", todos: [{ text: "One morE" }] }] },
    ]);
    const up = press({ ...newState(false), ...onNotes }, { name: "alt up" }, world, size);
    expect(up.act).toEqual({ type: "ops", id: notes, ops: [{ op: "move", target, to: 0 }] });
    const old = { undo: { id: notes, ops: [], until: NOW - 1 } };
    expect(pressed("u", { ...onNotes, ...old }).state.said).toBe("Nothing to undo.");
  });

  test("a note for a todo that is gone is not written to another", () => {
    const begun = pressed("mSee the wiki", onNotes).state;
    const rows = rowsOf(world.board).map((row) => {
      const isLeft = ({ id }: { id: string }) => id !== "2";
      const groups = row.view.groups.map((group) => ({
        ...group,
        rows: group.rows.filter(({ todo }) => isLeft(todo)),
      }));
      const todos = row.track.todos.filter(isLeft);
      return { ...row, track: { ...row.track, todos }, view: { ...row.view, groups } };
    });
    const [group] = world.board.groups;
    if (!group) throw new Error("nobody");
    const left = { ...world, board: { ...world.board, groups: [{ ...group, rows }] } };
    const sent = press(begun, { name: "enter" }, left, size);
    expect([sent.act, sent.state.said]).toEqual([
      undefined,
      "That todo is gone. The note was not written.",
    ]);
  });

  test("search: what is typed is searched for, enter leads there", () => {
    const found = pressed("/backfill\r");
    expect([found.state.place, sessionOf(found.state), found.state.item]).toEqual([
      "track",
      "refunds",
      "todo 5",
    ]);
    expect(pressed("/q\x1b").state.place).toBe("tracks");
    expect(pressed("/qq").acts).toEqual([]);
  });

  test("a subagent is opened from the page of its parent, and left to it", () => {
    const below = pressed("jjj\rG\r");
    expect(below.state.above.length).toBe(1);
    expect(JSON.parse(below.state.selected ?? "")).toEqual(["refunds", "a1"]);
    const back = press(below.state, { name: "escape" }, world, size);
    expect([sessionOf(back.state), back.state.place]).toEqual(["refunds", "track"]);
  });

  test("the filter goes through the groups that there are, and ends at all of them", () => {
    const seen = ["f", "ff", "fff", "ffff", "fffff"].map((keys) => pressed(keys).state.only);
    expect(seen).toEqual(["needs you", "working", "idle", "finished", undefined]);
  });

  test("help, tasks, more, history and the end", () => {
    expect(pressed("?").state.place).toBe("help");
    expect(pressed("??").state.place).toBe("tracks");
    expect(pressed("t?\x1b").state.place).toBe("tracks");
    // Everything fits here but the tasks that are done.
    expect(pressed("\x14").acts).toEqual([]);
    expect(pressed("t\x14").acts.at(-1)).toEqual({ type: "more", more: true });
    expect(pressed("jh").acts.map(({ type }) => type)).toEqual(["past"]);
    expect(pressed("q").acts).toEqual([{ type: "quit" }]);
    expect(pressed("nq\x03", { selected: keyOf(world, "notes") }).acts).toEqual([{ type: "quit" }]);
  });
});

describe("keys on the tasks", () => {
  const on = (keys: string, task?: string, more: Partial<BoardState> = {}) =>
    pressed(keys, { place: "tasks", task, ...more });
  const ops = (keys: string, task?: string, more?: Partial<BoardState>) =>
    on(keys, task, more).acts.map((act) => (act.type === "task" ? act.op : act));

  test("a task is added, also where there is none yet", () => {
    const add = { op: "add", tasks: [{ subject: "Dig a pond" }] };
    expect(ops("nDig a pond\r")).toEqual([add]);
    expect(ops("n  \r")).toEqual([]);
    expect(ops("nDig\x1b")).toEqual([]);
    const state = { ...newState(false), place: "tasks" as const };
    const empty = press(state, { name: "text", text: "n" }, { ...world, tasks: undefined }, size);
    expect(empty.state.field).toEqual({ kind: "task", text: "" });
  });

  test("what nobody holds: finish, drop, hand over, wait, rename, priority", () => {
    expect(ops(" npm test\r", "t38")).toEqual([
      { op: "finish", owner: "user", held: [{ id: "t38" }], evidence: ["npm test"] },
    ]);
    expect(ops(" \r", "t38")).toEqual([{ op: "finish", owner: "user", held: [{ id: "t38" }] }]);
    expect(ops("xtoo late\r", "t38")).toEqual([{ op: "cancel", id: "t38", reason: "too late" }]);
    expect(ops("x\r", "t38")).toEqual([{ op: "cancel", id: "t38" }]);
    expect(ops("ocodex\r", "t38")).toEqual([{ op: "assign", id: "t38", owner: "codex" }]);
    expect(ops("o\r", "t38")).toEqual([]);
    expect(ops("bt40\r", "t38")).toEqual([
      { op: "edit", id: "t38", set: { addBlockedBy: ["t40"] } },
    ]);
    expect(ops("e!\r", "t38")).toEqual([
      {
        op: "edit",
        id: "t38",
        set: { subject: "Alert when a refund key repeats!" },
        base: { subject: "Alert when a refund key repeats" },
      },
    ]);
    expect(ops("4", "t38")).toEqual([{ op: "edit", id: "t38", set: { priority: 4 } }]);
    expect(ops("56", "t38")).toEqual([]);
  });

  test("what somebody holds is finished and given back by the claim that the person saw", () => {
    const held = [{ id: "t32", epoch: 1 }];
    expect(ops("u", "t32")).toEqual([{ op: "release", owner: "claude", held }]);
    expect(ops(" ok\r", "t32")).toEqual([
      { op: "finish", owner: "claude", held, evidence: ["ok"] },
    ]);
    // What cannot be is for the store to say.
    expect(ops("u", "t38")).toEqual([{ op: "release", owner: "user", held: [{ id: "t38" }] }]);
  });

  test("what is closed is opened again", () => {
    expect(ops(" ", "t27")).toEqual([{ op: "reopen", id: "t27" }]);
    expect(ops(" ", "t28", { more: true })).toEqual([{ op: "reopen", id: "t28" }]);
  });

  test("what is written is meant for the task it was begun for, wherever that is by now", () => {
    const begun = on(" ", "t38").state;
    const gone = { ...world, tasks: { ...tasks, columns: { ...tasks.columns, ready: [] } } };
    const sent = press(begun, { name: "enter" }, gone, size);
    expect(sent.act).toEqual({
      type: "task",
      op: { op: "finish", owner: "user", held: [{ id: "t38" }] },
    });
  });

  test("enter opens a task and asks for all of it; what is done to it leaves it open", () => {
    const opened = on("\r", "t38");
    expect([opened.state.taskIsOpen, opened.acts]).toEqual([true, [{ type: "look" }]]);
    expect(on("\rjj", "t38").state).toMatchObject({ task: "t38", scroll: 2 });
    expect(on("\r1 \r", "t38").state).toMatchObject({ task: "t38", taskIsOpen: true });
    expect(on("\r\x1b", "t38").state).toMatchObject({ place: "tasks", taskIsOpen: false });
    expect(on("\r\x1b\x1b", "t38").state.place).toBe("tracks");
    // In the list the next one takes the place of what is closed.
    expect(on(" \r", "t38").state.task).toBe("t40");
  });
});
