import fc from "fast-check";
import { expect, it } from "vitest";
import { emptyTrack, evolve, foldEvents } from "../../src/core/evolve.ts";
import { decide } from "../../src/core/list/decide.ts";
import { parseMarkdown, printMarkdown } from "../../src/core/list/markdown.ts";
import { PRESETS, type Preset, policyFor } from "../../src/core/list/policy.ts";
import type { Author, Draft, Event, Op, Submission, Track } from "../../src/core/model.ts";
import { sized } from "../full.ts";
import { draft, op, status, text } from "./arbitrary.ts";

const RUNS = { numRuns: sized(200, 10_000) };
const ID = { session: "s", agent: "main" };

interface Step {
  readonly by: Author;
  readonly ops: readonly Op[];
  readonly preset: Preset;
  readonly partial: boolean;
  readonly showsEdits: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  by: fc.constantFrom<Author>("agent", "user", "system"),
  ops: fc.array(op, { maxLength: 3 }),
  preset: fc.constantFrom(...(Object.keys(PRESETS) as Preset[])),
  partial: fc.boolean(),
  showsEdits: fc.boolean(),
});

function submissionOf(made: Step, index: number): Submission {
  const { by, ops, partial, showsEdits } = made;
  return {
    key: `k${index}`,
    at: 1_000 * (index + 1),
    by,
    via: "test",
    ops,
    partial,
    showsEdits,
  };
}

function run(steps: readonly Step[]): { track: Track; events: Event[]; tracks: Track[] } {
  let track = emptyTrack(ID);
  const events: Event[] = [];
  const tracks: Track[] = [];
  steps.forEach((made, index) => {
    const decision = decide(
      track,
      submissionOf(made, index),
      policyFor(made.by, PRESETS[made.preset]),
    );
    if (!decision.ok) return;
    track = evolve(track, decision.event);
    events.push(decision.event);
    tracks.push(track);
  });
  return { track, events, tracks };
}

it("folds the events into the state", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const { track, events } = run(steps);
      const stored: Event[] = JSON.parse(JSON.stringify(events));
      expect(foldEvents(ID, stored)).toEqual(track);
      expect(JSON.parse(JSON.stringify(track))).toEqual(track);
    }),
    RUNS,
  );
});

it("never reuses ids and numbers events without gaps", { tags: ["delete-create-race"] }, () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const { events, tracks } = run(steps);
      const added = events.flatMap((event) =>
        event.changes.flatMap((change) => (change.type === "todo.added" ? [change.todo.id] : [])),
      );
      expect(new Set(added).size).toBe(added.length);
      expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
      for (const { todos } of tracks)
        expect(new Set(todos.map(({ id }) => id)).size).toBe(todos.length);
    }),
    RUNS,
  );
});

it("keeps at most one todo in progress with reject and normalise", () => {
  const focused = step.filter(({ preset }) => preset !== "external");
  fc.assert(
    fc.property(fc.array(focused, { maxLength: 6 }), (steps) => {
      for (const { todos } of run(steps).tracks)
        expect(todos.filter((todo) => todo.status === "in_progress").length).toBeLessThanOrEqual(1);
    }),
    RUNS,
  );
});

it("keeps identity with replace in any order and with any statuses", () => {
  const texts = fc.uniqueArray(text, {
    minLength: 1,
    maxLength: 12,
    selector: (t) => t.toLowerCase(),
  });
  const rewritten = texts.chain((list) =>
    fc.record({
      list: fc.constant(list),
      shuffled: fc.shuffledSubarray(list, { minLength: list.length }),
      statuses: fc.array(status, { minLength: list.length, maxLength: list.length }),
    }),
  );
  fc.assert(
    fc.property(rewritten, ({ list, shuffled, statuses }) => {
      const policy = policyFor("agent", PRESETS.external);
      const write = (track: Track, key: string, todos: readonly Draft[]) => {
        const ops: Op[] = [{ op: "replace", todos }];
        const decision = decide(track, { key, at: 1, by: "agent", via: "test", ops }, policy);
        if (!decision.ok) throw new Error("refused");
        return evolve(track, decision.event);
      };
      const first = write(
        emptyTrack(ID),
        "1",
        list.map((line) => ({ text: line })),
      );
      const second = write(
        first,
        "2",
        shuffled.map((line, index) => {
          const given = statuses[index];
          return { text: line, ...(given && { status: given }) };
        }),
      );
      const ids = (track: Track) =>
        Object.fromEntries(track.todos.map((todo) => [todo.text, todo.id]));
      expect(ids(second)).toEqual(ids(first));
      expect(second.todos.map((todo) => todo.text)).toEqual(shuffled);
    }),
    RUNS,
  );
});

it("parses printed Markdown back to the same list", () => {
  fc.assert(
    fc.property(fc.array(draft, { maxLength: 8 }), (drafts) => {
      const { drafts: parsed, problems, ignored } = parseMarkdown(printMarkdown(drafts));
      expect({ parsed, problems, ignored }).toEqual({
        parsed: drafts.map((sent) => ({ ...sent, status: sent.status ?? "pending" })),
        problems: [],
        ignored: 0,
      });
    }),
    RUNS,
  );
});

it("keeps unseen user edits through any write of the agent", {
  tags: ["replace-during-edit"],
}, () => {
  const list = fc.uniqueArray(text, {
    minLength: 2,
    maxLength: 6,
    selector: (t) => t.toLowerCase(),
  });
  const edit = fc.constantFrom("drop", "remove", "add", "rename", "finish");
  fc.assert(
    fc.property(list, edit, fc.array(op, { minLength: 1, maxLength: 3 }), (texts, kind, ops) => {
      const agent = policyFor("agent", PRESETS.repair);
      const write = (
        track: Track,
        key: string,
        by: Author,
        sent: readonly Op[],
        policy = agent,
      ) => {
        const submission = {
          key,
          at: 1,
          by,
          via: "test",
          ops: sent,
          partial: true,
          showsEdits: true,
        };
        const decision = decide(track, submission, policy);
        return decision.ok ? evolve(track, decision.event) : track;
      };
      const known = write(emptyTrack(ID), "1", "agent", [
        { op: "replace", todos: texts.map((line) => ({ text: line })) },
      ]);
      const target = { any: "1" };
      const edits: Record<string, Op> = {
        drop: { op: "drop", target },
        remove: { op: "remove", target },
        finish: { op: "finish", target },
        add: { op: "add", todos: [{ text: "Mine, added" }] },
        rename: { op: "edit", target, set: { text: "Mine, renamed" } },
      };
      const chosen = edits[kind];
      if (!chosen) throw new Error(kind);
      const edited = write(known, "2", "user", [chosen], policyFor("user"));
      const after = write(edited, "3", "agent", ops);
      if (after.list !== edited.list) throw new Error("a new list would lose the edit");
      const mine = after.todos.find((todo) => todo.id === "1");
      if (kind === "drop") expect(mine?.status).toBe("cancelled");
      if (kind === "finish") expect(mine?.status).toBe("completed");
      if (kind === "rename") expect(mine?.text).toBe("Mine, renamed");
      if (kind === "remove") expect(mine).toBeUndefined();
      if (kind === "add") {
        const added = after.todos.find((todo) => todo.text === "Mine, added");
        expect(added).toBeDefined();
      }
    }),
    RUNS,
  );
});
