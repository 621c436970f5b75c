import { expect, test } from "vitest";
import { startTestServer } from "./test-server.ts";

const served = startTestServer();

async function archive(body: unknown) {
  const { serving } = served();
  const answer = await fetch(`${serving.url}api/archive`, {
    method: "POST",
    headers: { authorization: `Bearer ${serving.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test("archives a session as it was seen, and shows it again", async () => {
  const { serving, machine } = served();
  machine.run(["todo", "add", "Paint", "--session", "shed"]);
  const found = () => serving.feed.tracks().find(({ track }) => track.session === "shed");
  await expect.poll(found, { timeout: 30_000 }).toBeDefined();
  const seen = found()?.updatedAt ?? 0;
  const sessions = [{ session: "shed", seen }];
  expect(await archive({ sessions, archived: true })).toEqual({ status: 200, body: { ok: true } });
  expect(found()?.archived).toEqual({ at: expect.any(Number) });
  expect((await archive({ sessions, archived: false })).status).toBe(200);
  expect(found()?.archived).toBeUndefined();
  // A change that the user has not seen is not hidden.
  expect(
    (await archive({ sessions: [{ session: "shed", seen: seen - 1 }], archived: true })).status,
  ).toBe(200);
  expect(found()?.archived).toBeUndefined();
});

test("refuses what it cannot archive", async () => {
  const sessions = [{ session: "nothing", seen: 1 }];
  expect((await archive({ sessions, archived: true })).status).toBe(404);
  for (const body of [
    {},
    { sessions: [], archived: true },
    { sessions, archived: "yes" },
    { sessions: [{ session: 1, seen: 1 }], archived: true },
    { sessions: [{ session: "a", seen: null }], archived: true },
    { sessions, archived: true, more: 1 },
  ])
    expect((await archive(body)).status).toBe(400);
});
