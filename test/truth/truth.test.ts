import { expect, test } from "vitest";
import { SESSION_STATES } from "../../src/core/activity/session-state.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { type Case, readCases, readSession } from "./session.ts";

const CASES = readCases();

/** Counts the results of the sessions of each label. */
function confusion<T extends string>(labels: readonly T[]) {
  const counts = new Map(labels.map((label) => [label, new Map<T, number>()]));
  return {
    count(label: T, seen: T) {
      const row = counts.get(label);
      row?.set(seen, (row.get(seen) ?? 0) + 1);
    },
    print() {
      const row = (label: T) =>
        Object.fromEntries(labels.map((seen) => [seen, counts.get(label)?.get(seen) ?? 0]));
      console.table(Object.fromEntries(labels.map((label) => [label, row(label)])));
    },
  };
}

const isVerified = (proven: boolean) => (proven ? "verified" : "unverified");

function wrongOf(each: Case, found: MergedTrack | undefined): readonly string[] {
  if (!found) return ["no track"];
  const { state, looping, waiting } = each.expect;
  const loop = found.findings.find(({ kind }) => kind !== "stalled");
  const asks = found.waiting;
  const isAsked = asks?.kind === waiting?.kind && asks?.text === (waiting?.text ?? asks?.text);
  return [
    ...(found.state === state ? [] : [`is ${found.state}, not ${state}`]),
    ...(looping === undefined || loop?.level === looping ? [] : [`loop: ${loop?.level}`]),
    ...(waiting === undefined || isAsked ? [] : [`waits for ${asks?.kind} ${asks?.text}`]),
    ...provenOf(each, found).flatMap(({ text, label, seen }) =>
      label === seen ? [] : [`${text}: ${seen}`],
    ),
  ];
}

function provenOf(each: Case, found: MergedTrack) {
  return Object.entries(each.expect.verified ?? {}).map(([text, proven]) => {
    const todo = found.track.todos.find((known) => known.text === text);
    const seen = todo ? isVerified(todo.check !== undefined) : "no such todo";
    return { text, label: isVerified(proven), seen };
  });
}

test("reads every labeled session as labeled", {
  tags: ["false-proof"],
  timeout: 120_000,
}, async () => {
  expect(CASES.length).toBeGreaterThanOrEqual(150);
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  const states = confusion<string>(SESSION_STATES);
  const proofs = confusion<string>(["verified", "unverified"]);
  const wrong: string[] = [];
  for (const each of CASES) {
    const found = await readSession(each);
    const problems = wrongOf(each, found);
    if (problems.length > 0) wrong.push(`${each.name}: ${problems.join("; ")}`);
    if (!found) continue;
    states.count(each.expect.state, found.state);
    for (const { label, seen } of provenOf(each, found)) proofs.count(label, seen);
  }
  console.log(`${CASES.length} sessions`);
  states.print();
  proofs.print();
  expect(wrong).toEqual([]);
});
