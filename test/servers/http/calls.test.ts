import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CallDetail } from "../../../src/core/activity/calls/call-detail.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";
import type { TrackResponse } from "../../../src/core/wire.ts";
import { callRoutes } from "../../../src/servers/http/call-routes.ts";
import type { RequestContext } from "../../../src/servers/http/routes.ts";
import { claudeSession } from "../../cli/claude-session.ts";
import { startTestServer } from "./test-server.ts";

const T = Date.parse("2026-11-15T09:00:00Z");
const SESSION = "aaaaaaaa-1111-4111-8111-111111111111";
const HOSTILE = '<img src=x onerror="alert(1)">\u202e\u200b\u001b]52;c;aGk=\u0007\u001b[31mred\n';

const served = startTestServer(({ root }) => {
  const folder = join(root, ".claude", "projects", "-srv");
  mkdirSync(folder, { recursive: true });
  const session = claudeSession(SESSION, "/srv").prompt("Go", T);
  session.call("Bash", { command: "npm test" }, T + 1_000, HOSTILE);
  session.call("Bash", { command: "yes" }, T + 2_000, "y\n".repeat(2 * 1024 * 1024));
  writeFileSync(join(folder, `${SESSION}.jsonl`), session.text());
  return { CLAUDE_CONFIG_DIR: join(root, ".claude") };
});

const path = (call: string) => `/api/tracks/${encodeURIComponent(`${SESSION}~main`)}/calls/${call}`;

async function ask(at: string, token = served().serving.token) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(new URL(at, served().serving.url), { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test("opens a call of an agent's file, unchanged and for signed-in clients only", async () => {
  const { home, serving } = served();
  await serving.feed.ready;
  const { body } = await ask(`${path("toolu_1")}?at=${T + 1_000}`);
  expect(body as unknown).toMatchObject({
    name: "Bash",
    input: "npm test",
    isCommand: true,
    output: { head: HOSTILE },
  });
  // The timeline names the call.
  const track = await ask(`/api/tracks/${encodeURIComponent(`${SESSION}~main`)}`);
  const { story } = track.body as unknown as TrackResponse;
  expect(story.calls.map(({ callId }) => callId)).toEqual(["toolu_1", "toolu_2"]);

  const long = (await ask(path("toolu_2"))).body as unknown as CallDetail;
  expect(long.output?.head.length).toBeLessThan(1.1 * 1024 * 1024);
  expect(long.output?.omitted).toBeGreaterThan(1.9 * 1024 * 1024);
  const all = (await ask(`${path("toolu_2")}?all`)).body as unknown as CallDetail;
  expect(all.output).toEqual({ head: "y\n".repeat(2 * 1024 * 1024) });

  expect(await ask(path("toolu_1"), "nonsense")).toMatchObject({ status: 401 });
  expect(await ask(path("toolu_9"))).toMatchObject({ status: 404, body: { code: "unknown_call" } });
  expect(await ask(`${path("toolu_1")}?at=now`)).toMatchObject({ status: 400 });
  expect(await ask(path("x".repeat(201)))).toMatchObject({ status: 400 });
  expect(await ask("/api/tracks/none~main/calls/toolu_1")).toMatchObject({ status: 404 });
  await (await home.writing())
    .list({ session: "own", agent: "main" })
    .submit([{ op: "add", todos: [{ text: "Paint" }] }]);
  await expect
    .poll(async () => (await ask("/api/tracks/own~main/calls/x")).body.code)
    .toBe("no_file");
});

test("says that a session of another machine keeps its output there", async () => {
  const track = { session: "far", agent: "main" };
  const [route] = callRoutes({
    found: () => ({ machine: "mbp-3", track }) as MergedTrack,
    read: () => Promise.reject(new Error("nothing is read")),
  });
  const context = { params: { call: "toolu_1" }, url: new URL("http://localhost/") };
  await expect(route?.handle(context as unknown as RequestContext)).rejects.toMatchObject({
    status: 409,
    code: "other_machine",
    message: expect.stringContaining("runs on mbp-3"),
  });
});
