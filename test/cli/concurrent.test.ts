import { afterAll, beforeAll, expect, test } from "vitest";
import type { ListForm } from "../../src/cli/print/list-form.ts";
import { sized } from "../full.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeAll(() => {
  machine = newMachine();
});
afterAll(() => machine.remove());

const WRITERS = 8;
const RUNS = sized(3, 25);

test("adds each todo of 8 concurrent processes once, although they repeat it", {
  tags: ["concurrent-writers"],
  timeout: 120_000,
}, async () => {
  const acknowledged: string[] = [];
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; n < RUNS; n++) {
        const text = `writer ${writer} run ${n}`;
        const ran = await machine.start(["todo", "add", text, "--session", "s"]);
        expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
        acknowledged.push(text);
      }
    }),
  );
  const sorted = acknowledged.toSorted();
  const { todos, version } = machine.json(["todos", "--session", "s"]) as ListForm;
  const history = machine.json(["history", "--session", "s"]) as { text: string; seq: number }[];
  const snapshot = JSON.parse(machine.snapshot("s")) as { content: string }[];

  expect(sorted).toHaveLength(WRITERS * RUNS);
  expect(version).toBe(WRITERS * RUNS);
  expect(todos.map(({ text }) => text).toSorted()).toEqual(sorted);
  expect(todos.map(({ id }) => Number(id))).toEqual(sorted.map((_, n) => n + 1));
  expect(history.map(({ text }) => text).toSorted()).toEqual(sorted);
  expect(history.map(({ seq }) => seq)).toEqual(sorted.map((_, n) => n + 1));
  expect(snapshot.map(({ content }) => content)).toEqual(todos.map(({ text }) => text));
});

test("keeps all tasks that 8 processes add at once, and gives each to one owner", {
  tags: ["double-claim"],
  timeout: 300_000,
}, async () => {
  const answers = await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const ids: string[] = [];
      for (let n = 0; n < RUNS; n++) {
        const ran = await machine.start(["task", "add", `writer ${writer} run ${n}`, "--json"]);
        expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
        ids.push(JSON.parse(ran.stdout).id);
      }
      return ids;
    }),
  );
  const kept = machine.json(["task", "list", "--all"]) as { id: string; subject: string }[];
  expect(kept).toHaveLength(WRITERS * RUNS);
  expect(new Set(answers.flat())).toEqual(new Set(kept.map(({ id }) => id)));
  expect(new Set(kept.map(({ subject }) => subject)).size).toBe(WRITERS * RUNS);

  for (let round = 1; round <= sized(2, 100); round++) {
    const claims = await Promise.all(
      Array.from({ length: WRITERS }, (_, n) =>
        machine.start(["task", "claim", `t${round}`, "--as", `agent ${n}`, "--json"]),
      ),
    );
    const won = claims.filter(({ status }) => status === 0).map(({ stdout }) => JSON.parse(stdout));
    expect(won.map(({ id, epoch }) => [id, epoch])).toEqual([[`t${round}`, 1]]);
    const lost = claims
      .filter(({ status }) => status === 1)
      .map(({ stdout }) => JSON.parse(stdout));
    expect(lost.map(({ code, holder }) => [code, holder])).toEqual(
      Array(WRITERS - 1).fill(["held", won[0].owner]),
    );
  }
});
