import { describe, expect, test } from "vitest";
import { handleKey } from "../../../src/surfaces/terminal/keys/handle-key.ts";
import { type BoardState, newState, type Size } from "../../../src/surfaces/terminal/state.ts";
import { backlog } from "./backlog.ts";
import { boardData, keyOf, NOW, screenText, team } from "./board-data.ts";

const data = boardData(team(), { tasks: backlog() });
const SIZES: readonly Size[] = [
  { columns: 40, rows: 12 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];

/** The cell where a text begins on the screen. */
function cellOf(text: string, state: BoardState, size: Size) {
  const lines = screenText(data, state, size).split("\n");
  const row = lines.findIndex((line) => line.includes(text));
  return { row, column: lines[row]?.indexOf(text) ?? -1 };
}

function clicked(text: string, state: BoardState, size: Size, now = NOW): BoardState {
  const key = { name: "click" as const, ...cellOf(text, state, size) };
  return handleKey(state, key, { ...data, now }, size).state;
}

const overview = (more: Partial<BoardState> = {}): BoardState => ({
  ...newState(false),
  selected: keyOf(data, "checkout"),
  ...more,
});

describe.each(SIZES)("the mouse at $columns x $rows", (size) => {
  test("selects the session of each line of a row", () => {
    const texts =
      size.columns < 60 ? ["Make refunds"] : ["Make refunds", "Next: Backfill", "test-wr"];
    for (const text of texts)
      expect(clicked(text, overview(), size).selected).toBe(keyOf(data, "refunds"));
  });

  test("keeps the selection on headings, blank lines and the key hints", () => {
    const lines = screenText(data, overview(), size).split("\n");
    for (const [row, line] of lines.entries()) {
      if (line.startsWith("▌") && row > 0) continue;
      // The chips have their own test.
      if (line.includes("today")) continue;
      const key = { name: "click" as const, row, column: 3 };
      const { state } = handleKey(overview(), key, data, size);
      expect([line, state.selected, state.screen]).toEqual([
        line,
        keyOf(data, "checkout"),
        "tracks",
      ]);
    }
  });

  test("opens a session with a double click, not with two slow clicks or clicks on two rows", () => {
    const once = clicked("Make refunds", overview(), size);
    expect(once.screen).toBe("tracks");
    expect(clicked("Make refunds", once, size, NOW + 400).screen).toBe("track");
    expect(clicked("Make refunds", once, size, NOW + 900).screen).toBe("tracks");
    expect(clicked("Upgrade staging", once, size, NOW + 100).screen).toBe("tracks");
  });

  test("selects todos, tasks and results of the filter", () => {
    const track = overview({ screen: "track", selected: keyOf(data, "refunds"), more: true });
    expect(clicked("Backfill", { ...track, item: "todo 4" }, size).item ?? "").toMatch(/^todo /);
    const tasks = overview({ screen: "tasks" });
    expect(clicked("t40", tasks, size).task).toBe("t40");
    expect(clicked("t40", clicked("t40", tasks, size), size).taskIsOpen).toBe(true);
    const search = overview({ screen: "search", search: "refu" });
    const hit = clicked("Reproduce the double", search, size);
    expect(clicked("Reproduce the double", hit, size)).toMatchObject({
      screen: "track",
      item: "todo 2",
    });
  });
});

describe("a click on a chip", () => {
  const size = { columns: 80, rows: 24 };

  test("removes it if it is set, else chooses its value with the arrow keys", () => {
    expect(clicked("today", overview(), size).older).toBe(true);
    expect(clicked("project", overview(), size).chip).toBe("project");
    expect(clicked("sort:", overview(), size).sort).toBe("recent");
    const filters = { agent: [], project: ["ledger-api"], state: [] };
    const narrowed = overview({ filters, words: ["re"] });
    expect(clicked("ledger-api ×", narrowed, size).filters.project).toEqual([]);
    expect(clicked(" re × ", narrowed, size).words).toEqual([]);
  });
});
