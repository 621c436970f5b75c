import { expect, it } from "vitest";
import { batchCalls } from "../../src/engines/postgres/batch-calls.ts";
import { until } from "../until.ts";

it("batches calls that arrive during a statement, each with its own answer", async () => {
  const batches: number[][] = [];
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const double = batchCalls<number, number>(
    async (given) => {
      batches.push([...given]);
      await held;
      return given.map((each) => each * 2);
    },
    { ways: 1, most: 3 },
  );
  const first = double(1);
  await until(() => batches.length === 1, "the first statement under way");
  const others = [2, 3, 4, 5].map(double);
  letGo();
  expect(await Promise.all([first, ...others])).toEqual([2, 4, 6, 8, 10]);
  expect(batches).toEqual([[1], [2, 3, 4], [5]]);
});

it("reports a failure to every caller and continues", async () => {
  let fails = true;
  const call = batchCalls<number, number>(
    async (given) => {
      if (fails) throw new Error("no");
      return [...given];
    },
    { ways: 1, most: 10 },
  );
  const all = await Promise.allSettled([call(1), call(2)]);
  expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  fails = false;
  expect(await Promise.all([call(1), call(2)])).toEqual([1, 2]);
});

it("runs as many statements in parallel as it has lanes", async () => {
  let underWay = 0;
  let most = 0;
  const call = batchCalls<number, number>(
    async (given) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await until(() => most === 2, "two statements under way");
      underWay -= 1;
      return [...given];
    },
    { ways: 2, most: 1 },
  );
  const calls: Promise<unknown>[] = [];
  for (let n = 0; n < 6; n++) {
    calls.push(call(n));
    await Promise.resolve();
  }
  expect(await Promise.all(calls)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});
