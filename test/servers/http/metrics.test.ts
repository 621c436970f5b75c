import { beforeAll, expect, test } from "vitest";
import { parseMetrics, valueIn } from "../../surfaces/metrics/parse.ts";
import { until } from "../../until.ts";
import { startTestServer } from "./test-server.ts";

const served = startTestServer();
const HOSTILE = 'a "b" \\ {c="d"} 1';

const scrape = async () => {
  const { serving } = served();
  const headers = { authorization: `Bearer ${serving.token}` };
  const answer = await fetch(new URL("/metrics", serving.url), { headers });
  return { answer, text: await answer.text() };
};
const metrics = async () => parseMetrics((await scrape()).text);

beforeAll(async () => {
  const { machine } = served();
  for (const args of [
    ["todo", "add", "Paint", "Dry", "--session", "s"],
    ["todo", "done", "Paint", "--session", "s"],
    ["task", "add", "One"],
    ["task", "add", "Two"],
    ["task", "edit", "t2", "--label", HOSTILE],
    ["task", "claim", "t1", "--as", HOSTILE],
  ])
    expect(machine.run(args)).toMatchObject({ status: 0 });
  await until(
    async () =>
      valueIn(await metrics(), "waymark_todos_completed", {
        agent: "unknown",
        evidence: "unverified",
      }) === 1,
    "the completed todo",
  );
});

test("answers valid metrics with the figures of sessions, todos, tasks and the process", async () => {
  const { answer, text } = await scrape();
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const found = parseMetrics(text);
  const agent = "unknown";
  expect(valueIn(found, "waymark_todos", { agent, status: "pending" })).toBe(1);
  expect(valueIn(found, "waymark_todos", { agent, status: "completed" })).toBe(1);
  expect(valueIn(found, "waymark_todos_completed", { agent, evidence: "verified" })).toBe(0);
  const sessions = found.get("waymark_sessions")?.samples ?? [];
  expect(sessions.reduce((sum, { value }) => sum + value, 0)).toBe(1);
  expect(valueIn(found, "waymark_sessions_archived")).toBe(0);
  expect(valueIn(found, "waymark_sessions_current")).toBe(1);
  expect(valueIn(found, "waymark_task_store_up")).toBe(1);
  expect(valueIn(found, "waymark_tasks", { state: "ready" })).toBe(1);
  expect(valueIn(found, "waymark_tasks_by_label", { label: HOSTILE, state: "ready" })).toBe(1);
  expect(valueIn(found, "waymark_tasks_by_owner", { owner: HOSTILE, state: "claimed" })).toBe(1);
  const node = process.version;
  expect(valueIn(found, "waymark_build_info", { version: "0", node })).toBe(1);
  expect(valueIn(found, "process_start_time_seconds")).toBeLessThanOrEqual(Date.now() / 1_000);
  expect(valueIn(found, "process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  expect(found.get("process_cpu_seconds_total")?.type).toBe("counter");
});

test("counts a session that the user archives once, as archived", async () => {
  const { machine } = served();
  expect(machine.run(["archive", "s"]).status).toBe(0);
  await until(
    async () => valueIn(await metrics(), "waymark_sessions_archived") === 1,
    "the archived session",
  );
  const found = await metrics();
  expect(found.has("waymark_sessions")).toBe(false);
  expect(found.has("waymark_todos")).toBe(false);
});

test("shows neither texts of todos nor subjects of tasks", async () => {
  const { text } = await scrape();
  for (const secret of ["Paint", "Dry", "One", "Two", served().serving.token])
    expect(text).not.toContain(secret);
});
