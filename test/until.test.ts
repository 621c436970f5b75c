import { expect, test } from "vitest";
import { until } from "./until.ts";

test("returns the first truthy value of a sync or async condition", async () => {
  const values = [0, "", null, undefined, false, "third time"];
  expect(await until(() => values.shift(), "a value", { interval: 1 })).toBe("third time");
  let asked = 0;
  const later = async () => (++asked === 3 ? { asked } : undefined);
  expect((await until(later, "three calls", { interval: 1 })).asked).toBe(3);
});

test("retries a condition that throws", async () => {
  let asked = 0;
  const settled = await until(
    () => {
      if (++asked < 3) throw new Error("not yet");
      return asked;
    },
    "three calls",
    { interval: 1 },
  );
  expect(settled).toBe(3);
});

test("names what it waited for and the last value or error", async () => {
  const options = { timeout: 5, interval: 1 };
  await expect(until(() => 0, "a row", options)).rejects.toThrow(
    "Timed out after 5 ms: a row (last value: 0)",
  );
  const missing = new Error("no such file");
  const failed = until(() => Promise.reject(missing), "a file", options);
  await expect(failed).rejects.toThrow("a file (last error: no such file)");
  await expect(failed).rejects.toMatchObject({ cause: missing });
});

test("checks once more after the deadline", async () => {
  let asked = 0;
  const slow = () => {
    // Blocks for longer than the timeout, like a busy machine.
    for (const end = performance.now() + 20; performance.now() < end; );
    return ++asked === 2;
  };
  expect(await until(slow, "two calls", { timeout: 5, interval: 1 })).toBe(true);
});
