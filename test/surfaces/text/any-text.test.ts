import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { STATUSES, type Todo } from "../../../src/core/model.ts";
import { viewOf } from "../../../src/core/views/view.ts";
import {
  type HistoryRow,
  renderHistory,
  renderList,
  renderTracks,
  type TextOptions,
} from "../../../src/surfaces/text/index.ts";
import { CODE_POINT } from "../../code-point.ts";
import { sized } from "../../full.ts";
import { NOW, optionsOf, trackOf } from "./fixture.ts";

const OWN_SGR = /\u001b\[[0-9;]*m/g;
const UNWANTED =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

// Text that breaks layouts: zero width, double width, joined, prepended, endless, hostile.
const NASTY = [
  "\u001b[2J",
  "\u001b]0;t\u0007",
  "\u009b31m",
  "\u202e",
  "\u2068",
  "\u200b",
  "\u200d",
  "\ufe0f",
  "\u20e3",
  "\u0301",
  "\u0903",
  "\u0600",
  "\u0d4e",
  "\uff9e",
  "\ud800",
  "\udc00",
  "\u1100",
  "\u1161",
  "\u1100".repeat(120),
  "カ\uff9e".repeat(30),
  "\uff9e".repeat(150),
  "👩‍👩‍👧‍👦",
  "🇩🇪🇩",
  "1️⃣",
  "漢字",
  "שלום",
  "a".repeat(300),
  "\r\n",
  "\t",
  "\u2028",
];

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: CODE_POINT, maxLength: 60 }),
  fc
    .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 8 })), { maxLength: 12 })
    .map((pieces) => pieces.join("")),
);

const moment = fc.oneof(
  fc.integer({ min: NOW - 4e10, max: NOW + 1000 }),
  fc.double(),
  fc.constant(Number.MAX_SAFE_INTEGER),
);

const id = fc.oneof(
  fc.integer({ min: 1, max: 2000 }).map(String),
  text.filter((value) => value !== ""),
);

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** Removes undefined properties, as `exactOptionalPropertyTypes` requires. */
function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

function todo(words: fc.Arbitrary<string>): fc.Arbitrary<Todo> {
  const fields = {
    id,
    text: words,
    status: fc.constantFrom(...STATUSES),
    createdAt: moment,
    movedBy: fc.constantFrom("agent", "user", "system"),
    startedAt: some(moment),
    finishedAt: some(moment),
    activeText: some(words),
    phase: some(fc.oneof(words, fc.constantFrom("One", "Two"))),
    notes: some(fc.array(words, { maxLength: 3 })),
    blockedBy: some(fc.array(words, { maxLength: 3 })),
    blocker: some(words),
    owner: some(words),
    evidence: some(fc.array(words, { maxLength: 3 })),
  };
  return fc.record(fields).map((value) => compact(value) as unknown as Todo);
}

function track(words: fc.Arbitrary<string>) {
  return fc
    .record({
      todos: fc.array(todo(words), { maxLength: 40, size: "small" }),
      title: some(words),
      cwd: some(words),
      agentType: some(fc.oneof(words, fc.constantFrom("claude-code", "codex", "__proto__"))),
      mode: fc.constantFrom("work" as const, "plan" as const),
    })
    .map(({ todos, ...rest }) => trackOf(todos, compact(rest) as object));
}

const options: fc.Arbitrary<TextOptions> = fc
  .record({
    style: fc.constantFrom("waymark", "boxed", "tree", "plan", "checkbox"),
    width: fc.integer({ min: 1, max: 200 }),
    unicode: fc.boolean(),
    background: fc.constantFrom("dark", "light"),
    all: fc.boolean(),
    maxRows: some(fc.integer({ min: 0, max: 12 })),
    member: some(fc.record({ name: text, color: fc.constantFrom("cyan", "#ff8800", "nonsense") })),
  })
  .map((rest) => optionsOf(compact(rest) as Partial<TextOptions>));

const historyRow = fc
  .record({
    at: moment,
    by: fc.constantFrom("agent", "user", "system"),
    via: text,
    todo: id,
    text,
    from: fc.option(fc.constantFrom(...STATUSES)),
    to: fc.option(fc.constantFrom(...STATUSES)),
    change: some(text),
  })
  .map((row) => compact(row) as unknown as HistoryRow);

function checkOutput(render: (options: TextOptions) => string, given: TextOptions): void {
  const width = Math.max(20, given.width);
  const plain = render({ ...given, color: false });
  expect(plain).not.toMatch(UNWANTED);
  for (const line of plain.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(width);

  const painted = render({ ...given, color: true });
  expect(painted.replace(OWN_SGR, "")).not.toMatch(UNWANTED);
  for (const line of painted.split("\n")) {
    expect(stringWidth(line.replace(OWN_SGR, ""))).toBeLessThanOrEqual(width);
    expect(line.match(OWN_SGR)?.at(-1) ?? "\u001b[0m").toBe("\u001b[0m");
  }
  // The style `checkbox` names the current todo if there is no bold.
  if (given.style !== "checkbox") expect(painted.replace(OWN_SGR, "")).toBe(plain);
}

describe("hostile text", () => {
  test("stays within the width of a list and adds no escape sequences", {
    tags: ["layout-break"],
  }, () => {
    fc.assert(
      fc.property(track(text), options, (given, look) => {
        checkOutput((opts) => renderList(viewOf(given, NOW), opts), look);
      }),
      { numRuns: sized(100, 400) },
    );
  });

  test("stays within the width of the session table and adds no escape sequences", {
    tags: ["layout-break"],
  }, () => {
    fc.assert(
      fc.property(fc.array(track(text), { maxLength: 6 }), options, (given, look) => {
        const views = given.map((each) => viewOf(each, NOW));
        checkOutput((opts) => renderTracks(views, opts), look);
      }),
      { numRuns: sized(60, 200) },
    );
  });

  test("stays within the width of a history and adds no escape sequences", {
    tags: ["layout-break"],
  }, () => {
    fc.assert(
      fc.property(fc.array(historyRow, { maxLength: 12 }), options, (rows, look) => {
        checkOutput((opts) => renderHistory(rows, opts), look);
      }),
      { numRuns: sized(80, 300) },
    );
  });

  test("renders ASCII texts as ASCII if Unicode is off, including controls", () => {
    const ascii = fc.string({
      unit: fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(
      fc.property(track(ascii), options, (given, look) => {
        const asciiIds = given.todos.map((each, place) => ({ ...each, id: String(place + 1) }));
        const { member: _, ...rest } = look;
        const { agentType: __, ...known } = given;
        const view = viewOf({ ...known, todos: asciiIds }, NOW);
        const output =
          renderList(view, { ...rest, unicode: false }) +
          renderTracks([view], { ...rest, unicode: false });
        expect(output).toMatch(/^[\x0a\x20-\x7e]*$/);
      }),
      { numRuns: sized(60, 200) },
    );
  });
});
