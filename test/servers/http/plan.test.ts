import { expect, test } from "vitest";
import { planFingerprint } from "../../../src/core/plan/decide.ts";
import type { Plan } from "../../../src/core/plan/plan.ts";
import type { PlanRequest, TrackResponse } from "../../../src/core/wire.ts";
import { until } from "../../until.ts";
import { startTestServer } from "./test-server.ts";

const served = startTestServer();
const ID = { session: "demo", agent: "main" };

async function call<T>(path: string, body?: unknown): Promise<{ status: number; body: T }> {
  const { serving } = served();
  const answer = await fetch(`${serving.url}api/tracks/demo~main${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${serving.token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}

async function propose(text: string): Promise<Plan> {
  await (await served().home.writing()).list(ID).plan.propose(text);
  return until(async () => {
    const { plan } = (await call<TrackResponse>("")).body;
    return plan?.text === text && plan;
  }, "the plan in the feed");
}

const decide = (request: PlanRequest) =>
  call<{ code?: string; message?: string }>("/plan", request);

test("refuses a decision on a replaced plan as a conflict", async () => {
  const seen = planFingerprint(await propose("1. Read the code\n2. Write"));
  const unread = await propose("1. Delete the code");
  const comment = "too slow";
  for (const request of [
    { decision: "approve", seen },
    { decision: "reject", comment, seen },
    { decision: "comment", comment, step: 1, seen },
  ] as const)
    expect(await decide(request)).toMatchObject({
      status: 409,
      body: { code: "conflict", message: "The plan has changed since you read it. Read it again." },
    });
  expect((await call<TrackResponse>("")).body.plan).toEqual(unread);
  for (const wrong of [1, "", null, "x".repeat(201)])
    expect((await call("/plan", { decision: "approve", seen: wrong })).status).toBe(400);
  expect((await decide({ decision: "approve", seen: planFingerprint(unread) })).status).toBe(200);
});

test("accepts a decision that does not name the plan that was read", async () => {
  await propose("1. One");
  await propose("1. Two");
  expect((await decide({ decision: "reject" })).status).toBe(200);
});
