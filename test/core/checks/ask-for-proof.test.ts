import { expect, test } from "vitest";
import { emptyActivity } from "../../../src/core/activity/activity.ts";
import {
  ASK_FOR_PROOF,
  askedForProof,
  proofRequest,
  whyNotAsk,
} from "../../../src/core/checks/ask-for-proof.ts";
import { emptyTrack } from "../../../src/core/evolve.ts";
import type { Change, Event, UnseenEdit } from "../../../src/core/model.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";

const ID = { session: "s", agent: "main" };

test("an agent can be asked if its own session here uses the list", () => {
  const why = (more: Partial<MergedTrack> = {}, agentAt?: number) =>
    whyNotAsk(
      {
        track: { ...emptyTrack(ID), ...(agentAt !== undefined && { agentAt }) },
        hosted: true,
        state: "idle",
        findings: [],
        updatedAt: 1,
        ...more,
      },
      "Codex",
    );
  expect(why({}, 1)).toBeUndefined();
  expect(why({ activity: emptyActivity() })).toBeUndefined();
  expect(why()).toMatch(/^No agent has used this list/);
  expect(why({ hosted: false }, 1)).toBe(
    "Codex keeps its own list. Ask for proof in its terminal.",
  );
  expect(why({ state: "ended" }, 1)).toMatch(/^The session has ended/);
  expect(why({ machine: "attic", hosted: false }, 1)).toBe(
    "This session runs on attic. Ask for proof there.",
  );
});

test("the latest request of each todo is known from the events", () => {
  const event = (at: number, ...changes: readonly object[]) =>
    ({ seq: at, key: `${at}`, at, by: "user", via: "test", changes: changes as Change[] }) as Event;
  const noted = (id: string, note = ASK_FOR_PROOF) => ({ type: "todo.noted", id, note });
  const events = [
    event(1, noted("1"), noted("2", "Faster")),
    event(2, { type: "todo.removed", id: "1" }, noted("3")),
    event(3, noted("1")),
  ];
  expect([...askedForProof(events)].sort()).toEqual([
    ["1", 3],
    ["3", 2],
  ]);
});

test("a request is pending until the agent has received it", () => {
  const edit = (id: string, notes?: readonly string[]) =>
    ({ id, ...(notes && { notes }) }) as UnseenEdit;
  const request = (notes: readonly string[] | undefined, ...unseen: readonly UnseenEdit[]) =>
    proofRequest({ unseen }, { id: "1", ...(notes && { notes }) });
  expect(request(undefined)).toBeUndefined();
  expect(request(["Faster"])).toBeUndefined();
  expect(request(["Faster", ASK_FOR_PROOF])).toBe("delivered");
  expect(request([ASK_FOR_PROOF], edit("2", [ASK_FOR_PROOF]), edit("1", ["Faster"]))).toBe(
    "delivered",
  );
  expect(request([ASK_FOR_PROOF], edit("1"))).toBe("delivered");
  expect(request([ASK_FOR_PROOF], edit("2"), edit("1", [ASK_FOR_PROOF]))).toBe("pending");
});
