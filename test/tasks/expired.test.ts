import { expect, test } from "vitest";
import type { TaskEvent } from "../../src/tasks/model.ts";
import { type DerivedEvent, withDerived, withDerivedPages } from "../../src/tasks/rules/expired.ts";
import { cpuTime } from "../cpu-time.ts";

const event = (seq: number, at: number): TaskEvent => ({
  seq,
  at,
  type: "renewed",
  task: "t1",
  by: "agent",
  via: "test",
  set: {},
});
const derived = (task: string, at: number): DerivedEvent => ({
  at,
  type: "failed",
  task,
  by: "system",
  via: "lease",
  set: {},
  derived: true,
});

test("derived events follow the last event that is not later", () => {
  const events = [event(1, 10), event(2, 30), event(3, 20), event(4, 40)];
  const parked = [derived("t2", 30), derived("t3", 5), derived("t4", 20), derived("t5", 50)];
  const received = withDerived(events, parked).map((each) =>
    "seq" in each ? each.seq : each.task,
  );
  expect(received).toEqual(["t3", 1, 2, 3, "t4", "t2", 4, "t5"]);
});

test("merges 20,000 derived events into 300,000 in linear time", () => {
  const events = Array.from({ length: 300_000 }, (_, at) => event(at + 1, at));
  const parked = Array.from({ length: 20_000 }, (_, at) => derived(`t${at}`, at * 15));
  const began = cpuTime();
  expect(withDerived(events, parked)).toHaveLength(320_000);
  expect(cpuTime() - began).toBeLessThan(1_000);
});

test("places derived events in pages as in the whole", async () => {
  const events = Array.from({ length: 40 }, (_, at) => event(at + 1, at * 10 + (at % 4) * -12));
  const parked = Array.from({ length: 60 }, (_, at) => derived(`t${at}`, at * 8 - 20));
  async function* pages() {
    for (let from = 0; from < events.length; from += 8) yield events.slice(from, from + 8);
  }
  const received = [];
  for await (const page of withDerivedPages(pages(), parked)) received.push(...page);
  expect(received).toEqual(withDerived(events, parked));
});

test("reads no more than a page ahead", async () => {
  let read = 0;
  async function* pages() {
    for (; ; read++) yield [event(read, read)];
  }
  for await (const page of withDerivedPages(pages(), [derived("t1", 3)]))
    if (page.length > 1) break;
  expect(read).toBe(4);
});
