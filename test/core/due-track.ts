import { emptyActivity } from "../../src/core/activity/activity.ts";
import type { Proof } from "../../src/core/checks/proof.ts";
import type { ReminderKind, ReminderMoment, Track } from "../../src/core/model.ts";
import { todo, trackOf } from "./track-of.ts";

export const FIELDS = [
  "text",
  "activeText",
  "note",
  "blocker",
  "blockedBy",
  "evidence",
  "owner",
  "phase",
  "ref",
  "title",
  "knownText",
  "planComment",
  "planRemark",
  "refusal",
  "finding",
  "check",
  "collisionPath",
  "otherSession",
  "otherTodo",
  "stalledCall",
  "tool",
] as const;
export type Field = (typeof FIELDS)[number];

/** A run of a check that failed. */
export function failedProof(check: string, output: string): Proof {
  return {
    check,
    command: "npm test",
    ok: false,
    exitCode: 1,
    at: 5,
    durationMs: 10,
    tree: "abc",
    machine: "desk",
    warnings: [],
    output,
  };
}

/** A track of which a kind is due, with foreign text in the given fields. */
export function dueTrack(kind: ReminderKind, put: (field: Field, otherwise: string) => string) {
  const fields = (id: string) => ({
    text: put("text", `Todo ${id}`),
    activeText: put("activeText", "Doing it"),
    notes: [put("note", "a note")],
    evidence: [],
    owner: put("owner", "me"),
    phase: put("phase", "One"),
    ref: put("ref", id),
  });
  const open = [
    todo("1", { ...fields("1"), status: "in_progress" }),
    todo("2", { ...fields("2"), status: "blocked", blocker: put("blocker", "a key") }),
    todo("3", { ...fields("3"), status: "blocked", blockedBy: [put("blockedBy", "2")] }),
    todo("4", fields("4")),
  ];
  const done = ["5", "6", "7"].map((id) => todo(id, { ...fields(id), status: "completed" }));
  const base = { title: put("title", "T") };
  const made: Readonly<Record<ReminderKind, () => readonly [ReminderMoment, Track]>> = {
    introduction: () => ["start", trackOf([], {}, base)],
    initial: () => ["prompt", trackOf([], { prompts: 1 }, base)],
    empty: () => ["step", trackOf([], { steps: 10 }, base)],
    stale: () => ["step", trackOf(open, { steps: 10 }, base)],
    edits: () => ["step", trackOf(open, { edits: 12 }, base)],
    refused: () => [
      "step",
      trackOf(open, { steps: 2, refused: { step: 1, why: put("refusal", "empty") } }, base),
    ],
    changed: () => [
      "step",
      trackOf(
        open,
        {},
        {
          ...base,
          unseen: open.map(({ id }, place) => ({
            id,
            knownText: put("knownText", "Old"),
            knownStatus: "pending" as const,
            ...(place === 0 && { removed: todo(id) }),
            ...(place === 1 && { set: { text: "new" }, notes: [put("note", "n")] }),
            ...(place === 2 && { added: true as const }),
            ...(place === 3 && { status: "pending" as const }),
          })),
          plan: {
            id: "p1",
            text: "1. a",
            state: "rejected",
            at: 1,
            untold: true,
            comment: put("planComment", "no"),
            comments: [{ text: put("planRemark", "why"), at: 1, by: "user" }],
            untoldComments: 1,
          },
        },
      ),
    ],
    check: () => [
      "step",
      trackOf(
        done.map((each) => ({
          ...each,
          proof: failedProof(put("check", "test"), "1 failing"),
        })),
        {},
        base,
      ),
    ],
    stalled: () => [
      "step",
      trackOf(
        open,
        {},
        {
          ...base,
          stalls: [
            {
              kind: "stalled",
              key: "stalled 1",
              since: 5,
              silentSince: 1,
              message: put("finding", "no output for 1m"),
              inside: put("stalledCall", "npm test"),
              steps: [{ step: "message", state: "queued", at: 5 }],
            },
          ],
        },
      ),
    ],
    collision: () => [
      "step",
      trackOf(
        open,
        {},
        {
          ...base,
          collisions: (["edited", "editing", "listed"] as const).map((how, place) => ({
            path: put("collisionPath", `/project/${place}.ts`),
            other: {
              session: put("otherSession", "other"),
              agent: "main",
              // From the registry of agents.
              name: "Codex",
              todo: put("otherTodo", "Fix it"),
            },
            how,
            at: 5,
            usedAt: 3,
          })),
        },
      ),
    ],
    planning: () => ["step", trackOf(open, {}, { ...base, mode: "plan" })],
    evidence: () => ["write", trackOf([...open, ...done], {}, base)],
    recovery: () => ["compacted", trackOf([...open, ...done], {}, base)],
    stop: () => ["stop", trackOf(open, {}, base)],
    loop: () => [
      "step",
      trackOf(
        [],
        {},
        {
          ...base,
          activity: {
            ...emptyActivity(),
            loop: {
              kind: "generic_repeat",
              level: "warning",
              label: "x",
              count: 10,
              message: put("finding", "x, 10 times"),
            },
          },
        },
      ),
    ],
  };
  return made[kind]();
}
