import { expect, test } from "vitest";
import type { TaskEvent } from "../../src/tasks/model.ts";
import { type DerivedEvent, toldEvents } from "../../src/tasks/rules/parked.ts";
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
  const told = toldEvents(events, parked).map((each) => ("seq" in each ? each.seq : each.task));
  expect(told).toEqual(["t3", 1, 2, 3, "t4", "t2", 4, "t5"]);
});

test("merges 20,000 derived events into 300,000 in linear time", () => {
  const events = Array.from({ length: 300_000 }, (_, at) => event(at + 1, at));
  const parked = Array.from({ length: 20_000 }, (_, at) => derived(`t${at}`, at * 15));
  const began = cpuTime();
  expect(toldEvents(events, parked)).toHaveLength(320_000);
  expect(cpuTime() - began).toBeLessThan(1_000);
});
