import { expect, test } from "vitest";
import { parseMetrics, valueIn } from "../../surfaces/metrics/parse.ts";
import { startTestServer } from "./test-server.ts";

/** Nothing listens on this port. */
const served = startTestServer(undefined, { store: "postgres://127.0.0.1:1/none" });

test("answers the other metrics while the task store cannot be reached", async () => {
  const { serving } = served();
  const headers = { authorization: `Bearer ${serving.token}` };
  const scrape = async () => {
    const answer = await fetch(new URL("/metrics", serving.url), { headers });
    expect(answer.status).toBe(200);
    return parseMetrics(await answer.text());
  };
  for (const found of await Promise.all([scrape(), scrape()])) {
    expect(valueIn(found, "waymark_task_store_up")).toBe(0);
    expect(found.has("waymark_tasks")).toBe(false);
    expect(valueIn(found, "waymark_sessions_archived")).toBe(0);
    expect(found.has("process_cpu_seconds_total")).toBe(true);
  }
});
