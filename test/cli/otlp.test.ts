import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Collector, openCollector } from "../servers/otlp/collector.ts";
import { until } from "../until.ts";
import { type Machine, newMachine, PROGRAM } from "./machine.ts";
import { start } from "./running.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function opened(): Promise<{ readonly machine: Machine; readonly collector: Collector }> {
  const machine = newMachine();
  ends.push(() => machine.remove());
  const collector = await openCollector();
  ends.push(() => collector.close());
  return { machine, collector };
}

async function serve(machine: Machine, args: string[], env: Readonly<Record<string, string>> = {}) {
  const program = start(process.execPath, [PROGRAM, "serve", "--no-open", "--port", "0", ...args], {
    HOME: machine.root,
    WAYMARK_HOME: machine.home,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    ...env,
  });
  await program.untilPrinted("Ctrl+C");
  const end = () => {
    program.child.kill("SIGINT");
    return program.finished;
  };
  ends.push(end);
  return end;
}

test("serve exports todos and figures, and repeats nothing after a restart", async () => {
  const { machine, collector } = await opened();
  machine.run(["todo", "add", "Paint it", "Dry it", "--session", "demo"]);
  const end = await serve(machine, ["--otlp", collector.url]);
  machine.run(["todo", "done", "1", "--session", "demo"]);
  await until(() => collector.spans.length > 0, "the span");
  expect((await end()).stderr).toBe("Press Ctrl+C to stop.\n");
  // The end of the server sends the last figures.
  expect(collector.points).toContainEqual({
    metric: "waymark_todos_completed",
    labels: { agent: "unknown", evidence: "unverified" },
    value: 1,
  });
  await serve(machine, ["--otlp-content"], { WAYMARK_OTLP: collector.url });
  machine.run(["todo", "done", "2", "--session", "demo"]);
  const spans = await until(() => collector.spans.length > 1 && collector.spans, "the second span");
  expect(spans).toMatchObject([
    { name: "todo", attributes: { "waymark.todo.id": "1", "gen_ai.conversation.id": "demo" } },
    { name: "Dry it", attributes: { "waymark.todo.id": "2" } },
  ]);
  expect(spans[0]?.traceId).toBe(spans[1]?.traceId);
  expect(spans[0]?.parentSpanId).toBe(spans[1]?.parentSpanId);
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(collector.resource).toEqual({
    "service.name": "waymark",
    "service.version": version,
    "service.instance.id": readFileSync(join(machine.home, "machine"), "utf8").trim(),
  });
  expect(collector.problems).toEqual([]);
});

test("serve answers while the collector is down, and reports it once", async () => {
  const { machine, collector } = await opened();
  await collector.close();
  const end = await serve(machine, ["--otlp", collector.url]);
  machine.run(["todo", "add", "One", "--session", "demo"]);
  machine.run(["todo", "done", "1", "--session", "demo"]);
  expect(machine.run(["todos", "--session", "demo"]).status).toBe(0);
  const { stderr } = await end();
  const lines = stderr.split("\n").filter((line) => line.startsWith("waymark:"));
  expect(new Set(lines).size).toBe(lines.length);
  expect(lines.length).toBeLessThanOrEqual(2);
  for (const line of lines) expect(line).toMatch(/Cannot send .*ECONNREFUSED.*keeps trying/);
});

test("refuses a bad URL before the server starts, without its password", async () => {
  const { machine } = await opened();
  const asOption = machine.run(["serve", "--no-open", "--otlp", "http://ann:hunter2@host"]);
  expect(asOption.status).toBe(2);
  expect(asOption.stderr).toContain("--otlp: The URL contains credentials.");
  const asVariable = machine.run(["serve", "--no-open"], { env: { WAYMARK_OTLP: "hunter2:x" } });
  expect(asVariable.status).toBe(3);
  expect(asVariable.stderr).toContain("WAYMARK_OTLP: Invalid URL");
  expect(asOption.stderr + asVariable.stderr).not.toContain("hunter2");
});
