import { describe, expect, test } from "vitest";
import { newKeyboard } from "../../../src/surfaces/board/keys.ts";
import { press } from "../../../src/surfaces/board/press.ts";
import { type Act, type BoardState, newState, rowsOf } from "../../../src/surfaces/board/state.ts";
import { keyOf, NOW, team, worldOf } from "./world.ts";

const world = worldOf(team());
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

  test("enter opens the plan of whoever waits, the list of any other; escape leads back", () => {
    expect(pressed("\r").state.place).toBe("plan");
    expect(pressed("j\r").state.place).toBe("track");
    expect(pressed("j\r\x1b").state.place).toBe("tracks");
  });

  test("a plan is approved at once, rejected and commented in words", () => {
    expect(pressed("a").acts).toEqual([{ type: "plan", id: checkout, decision: "approve" }]);
    expect(pressed("rtoo big\r").acts).toEqual([
      { type: "plan", id: checkout, decision: "reject", comment: "too big" },
    ]);
    expect(pressed("r\r").acts).toEqual([{ type: "plan", id: checkout, decision: "reject" }]);
    expect(pressed("rno\x1b").acts).toEqual([]);
    expect(pressed("cq?\r").acts).toEqual([
      { type: "plan", id: checkout, decision: "comment", comment: "q?" },
    ]);
    const none = pressed("ja");
    expect([none.acts, none.state.said]).toEqual([[], "No plan waits here."]);
  });

  test("a list that its agent keeps is not changed", () => {
    const opened = { place: "track" as const, selected: keyOf(world, "refunds") };
    for (const key of [" ", "x", "m", "n", "e"]) {
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
    expect(on("mSee the wiki\r")).toEqual([
      { type: "ops", id: notes, ops: [{ op: "note", target, text: "See the wiki" }] },
    ]);
    expect(on("nOne more\x7fE\r")).toEqual([
      { type: "ops", id: notes, ops: [{ op: "add", todos: [{ text: "One morE" }] }] },
    ]);
    const up = press({ ...newState(false), ...onNotes }, { name: "alt up" }, world, size);
    expect(up.act).toEqual({ type: "ops", id: notes, ops: [{ op: "move", target, to: 0 }] });
    const old = { undo: { id: notes, ops: [], until: NOW - 1 } };
    expect(pressed("u", { ...onNotes, ...old }).state.said).toBe("Nothing to take back.");
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
    expect(pressed("\x14").acts).toEqual([{ type: "more", more: true }]);
    expect(pressed("jh").acts.map(({ type }) => type)).toEqual(["past"]);
    expect(pressed("q").acts).toEqual([{ type: "quit" }]);
    expect(pressed("nq\x03", { selected: keyOf(world, "notes") }).acts).toEqual([{ type: "quit" }]);
  });
});
