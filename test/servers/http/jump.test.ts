import { expect, test } from "vitest";
import { startTestServer } from "./test-server.ts";

const served = startTestServer();

async function ask(method: "GET" | "POST", id: string, body?: unknown) {
  const { serving } = served();
  const answer = await fetch(`${serving.url}api/tracks/${id}/jump`, {
    method,
    headers: { authorization: `Bearer ${serving.token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

test("says that no terminal belongs to a list without an agent", async () => {
  const { serving, machine } = served();
  machine.run(["todo", "add", "Paint", "--session", "shed"]);
  await expect.poll(() => serving.feed.tracks().length, { timeout: 30_000 }).toBe(1);
  expect(await ask("GET", "shed~main")).toEqual({
    status: 200,
    body: { panes: [], isCertain: false },
  });
  expect(await ask("POST", "shed~main", {})).toMatchObject({
    status: 200,
    body: { type: "none" },
  });
  expect((await ask("POST", "shed~main", { pane: 1 })).status).toBe(400);
  expect((await ask("POST", "shed~main", { run: "sh" })).status).toBe(400);
  expect((await ask("POST", "nothing~main", {})).status).toBe(404);
});
