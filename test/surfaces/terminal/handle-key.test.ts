import { describe, expect, test } from "vitest";
import { planFingerprint } from "../../../src/core/plan/decide.ts";
import { shownOf } from "../../../src/surfaces/terminal/find/shown.ts";
import { handleKey } from "../../../src/surfaces/terminal/keys/handle-key.ts";
import {
  type Key,
  type KeyName,
  newKeyParser,
} from "../../../src/surfaces/terminal/keys/key-parser.ts";
import {
  type BoardAction,
  type BoardState,
  newState,
  rowsOf,
} from "../../../src/surfaces/terminal/state.ts";
import { backlog, taskWithEvents } from "./backlog.ts";
import { boardData, keyOf, NOW, PLAN, screenText, team } from "./board-data.ts";

const tasks = backlog();
const data = { ...boardData(team()), tasks };
const size = { columns: 80, rows: 40 };
const [first] = rowsOf(data.board);

/** The state after these keys, and the actions that they triggered. */
function pressed(input: string, from: Partial<BoardState> = {}) {
  let state: BoardState = { ...newState(false), selected: first?.key, ...from };
  const acts: BoardAction[] = [];
  const keyboard = newKeyParser();
  const keys = [...input].flatMap((character) => {
    const read = keyboard.read(character);
    return character === "\x1b" ? [...read, ...keyboard.flush()] : read;
  });
  for (const key of keys) {
    const next = handleKey(state, key, data, size);
    state = next.state;
    if (next.action) acts.push(next.action);
  }
  return { state, acts };
}

const text = (character: string): Key => ({ name: "text", text: character });

/** The state after text and then named keys. */
function pressedKeys(first: readonly Key[], ...names: KeyName[]) {
  let state: BoardState = { ...newState(false), selected: rowsOf(data.board)[0]?.key };
  for (const key of [...first, ...names.map((name) => ({ name }))])
    state = handleKey(state, key, data, size).state;
  return { state };
}

const shownSessions = (state = newState(false)) =>
  shownOf(data.board, state, NOW).rows.map(({ track }) => track.session);
const sessionOf = (state: BoardState) =>
  rowsOf(data.board).find(({ key }) => key === state.selected)?.track.session;
const checkout = { session: "checkout", agent: "main" };
const notes = { session: "notes", agent: "main" };
const onNotes = { screen: "track" as const, selected: keyOf(data, "notes") };

describe("keys on the board", () => {
  test("move through the groups from top to bottom and stop at the ends", () => {
    const visited = ["", "j", "jj", "jjj", "jjjj", "jjjjj", "jjjjjj", "kk", ">", "><"].map((keys) =>
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

  test("page down and page up move by a screen of rows and stop at the ends", () => {
    const low = { columns: 80, rows: 12 };
    const turn = (from: BoardState, name: "page down" | "page up", count = 1): BoardState =>
      count === 0 ? from : turn(handleKey(from, { name }, data, low).state, name, count - 1);
    const top: BoardState = { ...newState(false), selected: first?.key };
    expect(sessionOf(turn(top, "page down"))).toBe("refunds");
    expect(sessionOf(turn(top, "page down", 2))).toBe("start");
    expect(sessionOf(turn(turn(top, "page down", 2), "page up"))).toBe("staging");
    expect(sessionOf(turn(turn(top, "page down", 2), "page up", 2))).toBe("checkout");
    const help: BoardState = { ...newState(false), screen: "help" };
    expect(turn(help, "page down", 2).scroll).toBe(12);
    expect(turn(turn(help, "page down", 2), "page up").scroll).toBe(6);
  });

  test("the end of a page can be left again with one key", () => {
    const low = { columns: 80, rows: 12 };
    const help: BoardState = { ...newState(false), screen: "help" };
    const end = handleKey(help, { name: "end" }, data, low).state;
    const text = screenText(data, end, low);
    expect(text).toContain("bar: open");
    const above = handleKey(end, { name: "up" }, data, low).state;
    expect(above.scroll).toBe(end.scroll - 1);
    expect(screenText(data, above, low)).not.toBe(text);
    expect(handleKey(above, { name: "text", text: ">" }, data, low).state.scroll).toBe(end.scroll);
    expect(handleKey(end, { name: "text", text: "<" }, data, low).state.scroll).toBe(0);
  });

  test("page down in a list moves by the visible rows", () => {
    const list: BoardState = {
      ...newState(false),
      screen: "track",
      selected: keyOf(data, "refunds"),
    };
    const paged = (rows: number) =>
      handleKey(list, { name: "page down" }, data, { columns: 80, rows }).state.item;
    const down = (count: number) => pressed("j".repeat(count), list).state.item;
    expect([paged(10), paged(9), paged(6)]).toEqual([down(4), down(3), down(1)]);
  });

  test("enter opens a waiting plan or else the list; escape goes back", () => {
    expect(pressed("\r").state.screen).toBe("plan");
    expect(pressed("j\r").state.screen).toBe("track");
    expect(pressed("j\r\x1b").state.screen).toBe("tracks");
  });

  test("approve, reject and comment on a plan", () => {
    const seen = planFingerprint({ id: "p1", text: PLAN });
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
    expect([none.acts, none.state.message]).toEqual([[], "No plan is waiting for approval."]);
  });

  test("reject the plan that was shown when the reason was started", () => {
    const begun = pressed("rtoo big").state;
    const changed = team().map((each) =>
      each.plan ? { ...each, plan: { ...each.plan, text: "1. Another one" } } : each,
    );
    const { action: act } = handleKey(
      begun,
      { name: "enter" },
      { ...boardData(changed), tasks },
      size,
    );
    expect(act).toMatchObject({
      decision: "reject",
      seen: planFingerprint({ id: "p1", text: PLAN }),
    });
  });

  test("refuse to change a list that the agent manages", () => {
    const opened = { screen: "track" as const, selected: keyOf(data, "refunds") };
    for (const key of [" ", "x", "m", "n", "e", "T"]) {
      const { acts, state } = pressed(key, opened);
      expect([key, acts, state.message]).toEqual([
        key,
        [],
        "Read-only: Claude Code manages this list.",
      ]);
    }
  });

  test("finish, reopen, cancel, undo, note, add and move todos", () => {
    const on = (keys: string) => pressed(keys, onNotes).acts;
    const target = { ref: "2" };
    expect(on(" ")).toEqual([{ type: "ops", id: notes, ops: [{ op: "finish", target }] }]);
    expect(on("k ")).toEqual([
      { type: "ops", id: notes, ops: [{ op: "reopen", target: { ref: "1" } }] },
    ]);
    expect(on("x")).toEqual([{ type: "ops", id: notes, ops: [{ op: "drop", target }] }]);
    const undo = { type: "undo-list", id: notes, before: [], after: [] } as const;
    const undos = [
      { action: { ...undo, id: { ...notes, agent: "older" } }, until: NOW + 1 },
      { action: undo, until: NOW + 2 },
    ];
    expect(pressed("uuu", { ...onNotes, undos }).acts).toEqual([undo, undos[0]?.action]);
    const late = pressed("u", { ...onNotes, undos: [{ action: undo, until: NOW - 1 }] });
    expect([late.acts, late.state.message]).toEqual([[], "Nothing to undo."]);
    expect(on("mSee the wiki\r")).toEqual([
      { type: "ops", id: notes, ops: [{ op: "note", target, text: "See the wiki" }] },
    ]);
    expect(on("T")).toEqual([{ type: "promote", id: notes, todo: "2" }]);
    expect(on("nOne more\x7fE\r")).toEqual([
      { type: "ops", id: notes, ops: [{ op: "add", todos: [{ text: "One morE" }] }] },
    ]);
    const up = handleKey({ ...newState(false), ...onNotes }, { name: "alt up" }, data, size);
    expect(up.action).toEqual({ type: "ops", id: notes, ops: [{ op: "move", target, to: 0 }] });
    const old = { undo: { id: notes, ops: [], until: NOW - 1 } };
    expect(pressed("u", { ...onNotes, ...old }).state.message).toBe("Nothing to undo.");
  });

  test("do not attach a note to another todo if its todo was removed", () => {
    const begun = pressed("mSee the wiki", onNotes).state;
    const rows = rowsOf(data.board).map((row) => {
      const isLeft = ({ id }: { id: string }) => id !== "2";
      const groups = row.view.groups.map((group) => ({
        ...group,
        rows: group.rows.filter(({ todo }) => isLeft(todo)),
      }));
      const todos = row.track.todos.filter(isLeft);
      return { ...row, track: { ...row.track, todos }, view: { ...row.view, groups } };
    });
    const [group] = data.board.groups;
    if (!group) throw new Error("nobody");
    const left = { ...data, board: { ...data.board, groups: [{ ...group, rows }] } };
    const sent = handleKey(begun, { name: "enter" }, left, size);
    expect([sent.action, sent.state.message]).toEqual([
      undefined,
      "The todo was removed; the note was not saved.",
    ]);
  });

  test("filter as you type; enter opens the selected result", () => {
    const found = pressed("/backfill\r");
    expect([found.state.screen, sessionOf(found.state), found.state.item]).toEqual([
      "track",
      "refunds",
      "todo 5",
    ]);
    expect(pressed("/rfnds\r").state).toMatchObject({
      screen: "track",
      selected: keyOf(data, "refunds"),
      item: undefined,
    });
    const second = pressedKeys([..."/refund"].map(text), "down", "enter");
    expect(second.state).toMatchObject({ screen: "track", item: "todo 1" });
    expect(pressed("/t38\r").state).toMatchObject({
      screen: "tasks",
      task: "t38",
      taskIsOpen: true,
    });
    expect(pressed("/q\x1b").state).toMatchObject({ screen: "tracks", search: "" });
    expect(pressed("/qq").acts).toEqual([{ type: "tasks" }]);
    expect(pressed("/?").state.screen).toBe("help");
    expect(pressed("/ke?\x1b").state).toMatchObject({ screen: "search", search: "ke" });
  });

  test("return to the screen on which the filter was opened", () => {
    const opened = pressed("/cart\x1b", onNotes);
    expect(opened.state).toMatchObject({ screen: "track", selected: keyOf(data, "notes") });
  });

  test("keep what was typed as chips with tab; escape clears them", () => {
    const kept = pressed("/re #ledger is:work\t").state;
    expect(kept).toMatchObject({
      screen: "tracks",
      search: "",
      words: ["re"],
      filters: { agent: [], project: ["ledger-web", "ledger-api"], state: ["working"] },
    });
    expect(shownSessions(kept)).toEqual(["refunds"]);
    const cleared = handleKey(kept, { name: "escape" }, data, size).state;
    expect(shownSessions(cleared).length).toBe(6);
  });

  test("use the suggestion with tab if nothing matches", () => {
    const wrong = pressed("/refnud @codex\t").state;
    expect(wrong).toMatchObject({ screen: "search", search: "refunds" });
    expect(pressed("/refnud @codex\t\r").state).toMatchObject({ screen: "track" });
    expect(pressed("/xqxqx\t").state.message).toBe("Nothing similar was found.");
  });

  test("keep the selected result when results move", () => {
    const first = pressedKeys([..."/e"].map(text), "down", "down").state;
    const moved = { ...data, board: boardData([...team()].reverse().slice(1)).board };
    const before = handleKey(first, { name: "enter" }, data, size).state;
    const after = handleKey(first, { name: "enter" }, moved, size).state;
    expect(after.selected).toBe(before.selected);
  });

  test("open a subagent from its parent and go back to it", () => {
    const below = pressed("jjj\r>\r");
    expect(below.state.above.length).toBe(1);
    expect(JSON.parse(below.state.selected ?? "")).toEqual(["refunds", "a1"]);
    const back = handleKey(below.state, { name: "escape" }, data, size);
    expect([sessionOf(back.state), back.state.screen]).toEqual(["refunds", "track"]);
  });

  test("choose the values of the chips with the arrow keys", () => {
    const chip = (...names: KeyName[]) => pressedKeys([text("f")], ...names).state;
    expect(chip().chip).toBe("agent");
    expect(chip("down").filters.agent).toEqual(["claude-code"]);
    expect(chip("down", "down").filters.agent).toEqual(["codex"]);
    expect(chip("up").filters.agent).toEqual(["qwen"]);
    expect(chip("down", "backspace").filters.agent).toEqual([]);
    const project = chip("right", "down");
    expect([project.chip, project.filters.project]).toEqual(["project", ["docs-site"]]);
    expect(shownSessions(project)).toEqual(["notes", "start"]);
    const states = [1, 2, 3, 4, 5, 6].map((count) => {
      const downs = Array.from({ length: count }, (): KeyName => "down");
      return chip("right", "right", ...downs).filters.state[0];
    });
    expect(states).toEqual(["needs you", "working", "idle", "finished", "stuck", "unproven"]);
    expect(chip("left", "down").older).toBe(true);
    expect(chip("down", "escape")).toMatchObject({
      chip: undefined,
      filters: { agent: ["claude-code"] },
    });
    // Other keys end it.
    expect(pressed("ft").state).toMatchObject({ screen: "tasks" });
    expect(pressed("fs").state).toMatchObject({ chip: undefined, sort: "recent" });
  });

  test("sort by need, by time and by cost", () => {
    const orders = ["", "s", "ss", "sss"].map((keys) => pressed(keys).state);
    expect(orders.map(({ sort }) => sort)).toEqual(["needs you", "recent", "cost", "needs you"]);
    expect(shownSessions(orders[0])[0]).toBe("checkout");
    expect(shownSessions(orders[1]).at(-1)).toBe("start");
    expect(pressed("js").state.selected).toBe(pressed("j").state.selected);
  });

  test("open help, tasks and history, toggle detail, quit", () => {
    expect(pressed("?").state.screen).toBe("help");
    expect(pressed("??").state.screen).toBe("tracks");
    expect(pressed("t?\x1b").state.screen).toBe("tracks");
    expect(pressed("\x14").acts).toEqual([{ type: "more", more: true }]);
    expect(pressed("t\x14").acts.at(-1)).toEqual({ type: "more", more: true });
    expect(pressed("jh").acts.map(({ type }) => type)).toEqual(["history"]);
    expect(pressed("q").acts).toEqual([{ type: "quit" }]);
    expect(pressed("nq\x03", { selected: keyOf(data, "notes") }).acts).toEqual([{ type: "quit" }]);
  });
});

describe("keys on the task board", () => {
  const on = (keys: string, task?: string, more: Partial<BoardState> = {}) =>
    pressed(keys, { screen: "tasks", task, ...more });
  const ops = (keys: string, task?: string, more?: Partial<BoardState>) =>
    on(keys, task, more).acts.map((act) => (act.type === "task" ? act.op : act));

  test("add a task, also to an empty board", () => {
    const add = { op: "add", tasks: [{ subject: "Dig a pond" }] };
    expect(ops("nDig a pond\r")).toEqual([add]);
    expect(ops("n  \r")).toEqual([]);
    expect(ops("nDig\x1b")).toEqual([]);
    const state = { ...newState(false), screen: "tasks" as const };
    const empty = handleKey(
      state,
      { name: "text", text: "n" },
      { ...data, tasks: undefined },
      size,
    );
    expect(empty.state.field).toEqual({ kind: "task", text: "" });
  });

  test("finish, cancel, assign, block, rename and prioritize an unclaimed task", () => {
    expect(ops(" npm test\r", "t38")).toEqual([
      { op: "finish", owner: "user", held: [{ id: "t38" }], evidence: ["npm test"], force: true },
    ]);
    expect(ops(" \r", "t38")).toEqual([
      { op: "finish", owner: "user", held: [{ id: "t38" }], force: true },
    ]);
    expect(ops("xtoo late\r", "t38")).toEqual([{ op: "cancel", id: "t38", reason: "too late" }]);
    expect(ops("x\r", "t38")).toEqual([{ op: "cancel", id: "t38" }]);
    expect(ops("ocodex\r", "t38")).toEqual([{ op: "assign", id: "t38", owner: "codex" }]);
    expect(ops("o\r", "t38")).toEqual([{ op: "assign", id: "t38", owner: "checkout" }]);
    expect(ops("oa new one\r", "t38")).toEqual([{ op: "assign", id: "t38", owner: "a new one" }]);
    expect(ops("ocodex\x1b", "t38")).toEqual([]);
    expect(ops("bt40\r", "t38")).toEqual([
      { op: "edit", id: "t38", set: { addBlockedBy: ["t40"] } },
    ]);
    expect(ops("bt40 \x15t27 \r", "t38")).toEqual([
      { op: "edit", id: "t38", set: { addBlockedBy: ["t40", "t27"] } },
    ]);
    expect(ops("b\r", "t38")).toEqual([]);
    expect(ops("bzebra\r", "t38")).toEqual([]);
    expect(ops("lurgent \r", "t38")).toEqual([
      { op: "edit", id: "t38", set: { addLabels: ["urgent"] } },
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

  test("finish and release a claimed task with the claim that was shown", () => {
    const held = [{ id: "t32", epoch: 1 }];
    expect(ops("onobody\r", "t32")).toEqual([{ op: "release", owner: "claude", held }]);
    expect(ops(" ok\r", "t32")).toEqual([
      { op: "finish", owner: "claude", held, evidence: ["ok"] },
    ]);
    // An open task has no owner to release.
    expect(ops("onobody\r", "t38")).toEqual([{ op: "assign", id: "t38", owner: "nobody" }]);
  });

  test("reopen a closed task", () => {
    expect(ops(" ", "t27")).toEqual([{ op: "reopen", id: "t27" }]);
    expect(ops(" ", "t28", { more: true })).toEqual([{ op: "reopen", id: "t28" }]);
  });

  test("submit input for the task that it was started for", () => {
    const begun = on(" ", "t38").state;
    const gone = { ...data, tasks: { ...tasks, columns: { ...tasks.columns, ready: [] } } };
    const sent = handleKey(begun, { name: "enter" }, gone, size);
    expect(sent.action).toEqual({
      type: "task",
      op: { op: "finish", owner: "user", held: [{ id: "t38" }], force: true },
    });
  });

  test("enter opens a task and loads its details; actions keep it open", () => {
    const opened = on("\r", "t38");
    expect([opened.state.taskIsOpen, opened.acts]).toEqual([true, [{ type: "open-task" }]]);
    const low = { columns: 40, rows: 10 };
    const down = (from: BoardState) => handleKey(from, { name: "down" }, detailed, low).state;
    const detailed = { ...data, detail: taskWithEvents("t38") };
    expect(down(down(opened.state))).toMatchObject({ task: "t38", taskIsOpen: true, scroll: 2 });
    expect(on("\rjj", "t38").state).toMatchObject({ task: "t38", taskIsOpen: true, scroll: 0 });
    expect(on("\r1 \r", "t38").state).toMatchObject({ task: "t38", taskIsOpen: true });
    expect(on("\r\x1b", "t38").state).toMatchObject({ screen: "tasks", taskIsOpen: false });
    expect(on("\r\x1b\x1b", "t38").state.screen).toBe("tracks");
    // In the list, the next task is selected when one is closed.
    expect(on(" \r", "t38").state.task).toBe("t40");
  });
});
