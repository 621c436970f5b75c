import fc from "fast-check";
import type { Draft, Op, Status, TodoTarget } from "../../src/core/model.ts";
import { STATUSES } from "../../src/core/model.ts";
import { forbiddenCharacter, oneLine } from "../../src/core/text/escape.ts";

/** Valid texts of todos: one line, trimmed, not empty, without control characters. */
export const text: fc.Arbitrary<string> = fc
  .oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom("Fix parser", "Write tests", "Run build", "Ship", "Fix"),
    },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("# no", "> no", "[x] no", "a <!-- {} -->", "- [ ] b", "<b>"),
    },
  )
  .map(oneLine)
  .filter((line) => line !== "" && forbiddenCharacter(line) === undefined);

export const status: fc.Arbitrary<Status> = fc.constantFrom(...STATUSES);

const note = fc
  .array(fc.oneof(text, fc.constant("one\u2028two\u2029three")), { minLength: 1, maxLength: 3 })
  .map((lines) => lines.join("\n"));

export const draft: fc.Arbitrary<Draft> = fc.record(
  {
    text,
    status,
    activeText: text,
    phase: fc.oneof(fc.constantFrom("Build", "Ship"), text),
    notes: fc.array(note, { minLength: 1, maxLength: 3 }),
    priority: fc.constantFrom("high", "low"),
    owner: text,
    ref: fc.constantFrom("a", "b", "c", "d"),
    blocker: text,
    evidence: fc.uniqueArray(fc.oneof(text, fc.constant("a\u2028b")), {
      minLength: 1,
      maxLength: 2,
    }),
  },
  { requiredKeys: ["text"] },
);

const target: fc.Arbitrary<TodoTarget> = fc.oneof(
  fc.record({ text }),
  fc.record({ any: fc.oneof(text, fc.constantFrom("1", "2", "3", "a")) }),
  fc.record({ phase: fc.constantFrom("Build", "Ship") }),
  fc.constant({ all: true } as const),
);

const drafts = fc.array(draft, { maxLength: 6 });

export const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ op: fc.constant("replace" as const), todos: drafts }),
  fc.record({ op: fc.constant("upsert" as const), todos: drafts }),
  fc.record({ op: fc.constant("add" as const), todos: drafts, unique: fc.boolean() }),
  fc.record({
    op: fc.constantFrom("start" as const, "finish", "drop", "reopen", "block", "unblock", "remove"),
    target,
  }) as fc.Arbitrary<Op>,
  fc.record({ op: fc.constant("note" as const), target, text: note }),
  fc.record({ op: fc.constant("edit" as const), target, set: fc.record({ text, phase: text }) }),
  fc.record({ op: fc.constant("move" as const), target, to: fc.integer({ min: -1, max: 8 }) }),
  fc.constant({ op: "clear" as const }),
);
