import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readProofs } from "../../../src/checks/proofs.ts";
import type { CheckForm, ChecksResponse, RunStatus } from "../../../src/core/checks/wire.ts";
import { checkRoutes } from "../../../src/servers/http/checks/routes.ts";
import { gitIn } from "../../git/repositories.ts";
import { until } from "../../until.ts";
import { pageHeadersBy } from "./sign-in.ts";
import { startTestServer } from "./test-server.ts";

const served = startTestServer();
const AT = "api/tracks/s~main";
type Headers = Readonly<Record<string, string>>;
let page: Headers = {};

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  more: Headers = {},
): Promise<Answer> {
  const answer = await fetch(`${served().serving.url}${path}`, {
    method,
    headers: { ...page, "content-type": "application/json", ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const running = async (): Promise<readonly RunStatus[]> =>
  (await ask("GET", "api/tracks")).body.runs as readonly RunStatus[];
const idle = () => until(async () => (await running()).length === 0, "the checks to end");
const checkNamed = async (name: string): Promise<CheckForm | undefined> =>
  ((await ask("GET", `${AT}/checks`)).body as unknown as ChecksResponse).checks.find(
    (check) => check.name === name,
  );
/** A file that a check creates, outside of its checkout. */
const mark = (name: string) => join(served().machine.root, name);

beforeAll(async () => {
  const { machine, serving } = served();
  gitIn(machine.cwd, "init", "-q");
  writeFileSync(join(machine.cwd, "a.txt"), "1\n");
  gitIn(machine.cwd, "add", ".");
  gitIn(machine.cwd, "-c", "user.name=a", "-c", "user.email=a@a.test", "commit", "-qm", "first");
  machine.run(["todo", "add", "Paint", "Dry", "--session", "s"]);
  machine.run(["todo", "done", "1", "--session", "s"]);
  page = await pageHeadersBy(serving.signInUrl());
  await until(async () => (await ask("GET", AT)).status === 200, "the list to be served");
});

test("adds a check only for a person, and runs it for a todo", async () => {
  const { serving, machine } = served();
  expect((await ask("POST", `${AT}/verify`, {})).body).toMatchObject({ code: "no_check" });
  const command = `cat a.txt && touch ${mark("ran")}`;
  const program = { authorization: `Bearer ${serving.token}` };
  const add = { action: "add", command, name: "test" };
  expect(await ask("POST", `${AT}/accept`, { todo: "1" }, program)).toMatchObject({
    status: 403,
    body: { code: "not_a_person" },
  });
  expect(await ask("POST", `${AT}/checks`, add, program)).toMatchObject({
    status: 403,
    body: { code: "not_a_person" },
  });
  expect((await checkNamed("test"))?.command).toBeUndefined();
  expect((await ask("POST", `${AT}/checks`, add)).status).toBe(200);
  expect(await checkNamed("test")).toMatchObject({ command, trust: "yours" });

  const { status, body } = await ask("POST", `${AT}/verify`, { todo: "1" });
  expect({ status, check: body.check, step: body.step }).toEqual({
    status: 202,
    check: "test",
    step: "checkout",
  });
  await idle();
  expect(existsSync(mark("ran"))).toBe(true);
  expect(readProofs(machine.home, "s")).toMatchObject([
    { ok: true, exitCode: 0, command, todo: { id: "1", text: "Paint" } },
  ]);
  expect(await checkNamed("test")).toMatchObject({ lastRun: { ok: true, exitCode: 0 } });
});

test("never runs a check of the repository that the user has not read and trusted", async () => {
  const { machine } = served();
  mkdirSync(join(machine.cwd, ".waymark"), { recursive: true });
  const write = (command: string) =>
    writeFileSync(
      join(machine.cwd, ".waymark", "checks.toml"),
      `[checks.evil]\ncommand = ${JSON.stringify(command)}\n`,
    );
  write(`touch ${mark("evil")}`);
  const verify = () => ask("POST", `${AT}/verify`, { check: "evil" });
  expect(await verify()).toMatchObject({ status: 422, body: { code: "untrusted" } });
  const read = await checkNamed("evil");
  expect(read).toMatchObject({ trust: "untrusted", file: ".waymark/checks.toml" });
  // Changed between reading and trusting: the user did not read this one.
  write(`touch ${mark("evil")} ${mark("worse")}`);
  const trust = { action: "trust", name: "evil", hash: read?.hash };
  expect(await ask("POST", `${AT}/checks`, trust)).toMatchObject({
    status: 422,
    body: { code: "invalid_check" },
  });
  expect(await verify()).toMatchObject({ body: { code: "untrusted" } });
  const hash = (await checkNamed("evil"))?.hash;
  expect((await ask("POST", `${AT}/checks`, { ...trust, hash })).status).toBe(200);
  expect((await checkNamed("evil"))?.trust).toBe("trusted");
  write(`touch ${mark("other")}`);
  expect((await checkNamed("evil"))?.trust).toBe("changed");
  expect(await verify()).toMatchObject({ body: { code: "untrusted" } });
  expect((await ask("POST", `${AT}/checks`, { action: "remove", name: "evil" })).status).toBe(200);
  await idle();
  expect(["evil", "worse", "other"].filter((name) => existsSync(mark(name)))).toEqual([]);
});

test("runs nothing for other origins, without a token and for other bodies", {
  tags: ["cross-site"],
}, async () => {
  const command = `touch ${mark("foreign")}`;
  await ask("POST", `${AT}/checks`, { action: "add", command, name: "foreign" });
  const wanted = { check: "foreign" };
  const attempts: readonly (readonly [Headers, number])[] = [
    [{ authorization: "" }, 401],
    [{ authorization: "Bearer nonsense" }, 401],
    [{ origin: "http://evil.test" }, 403],
    [{ origin: "null" }, 403],
    [{ "content-type": "text/plain" }, 415],
    [{ "content-type": "application/x-www-form-urlencoded" }, 415],
  ];
  for (const [headers, status] of attempts)
    for (const [path, body] of [
      ["verify", wanted],
      ["checks", { action: "add", command, name: "more" }],
      ["accept", { todo: "1" }],
    ] as const) {
      const answer = await ask("POST", `${AT}/${path}`, body, headers);
      expect({ headers, path, status: answer.status }).toEqual({ headers, path, status });
    }
  for (const body of [
    null,
    [],
    { todo: 1 },
    { check: [] },
    { command: "touch x" },
    { todo: "1", x: 1 },
  ])
    expect((await ask("POST", `${AT}/verify`, body)).status).toBe(400);
  for (const body of [
    {},
    { action: "add" },
    { action: "run", name: "x" },
    { action: "trust", name: "x" },
  ])
    expect((await ask("POST", `${AT}/checks`, body)).status).toBe(400);
  expect((await ask("POST", "api/tracks/nobody~main/verify", wanted)).status).toBe(404);
  expect(await running()).toEqual([]);
  expect(existsSync(mark("foreign"))).toBe(false);
  expect(await checkNamed("more")).toBeUndefined();
});

test("cancels a run and its processes, and starts no second one", async () => {
  const command = `touch ${mark("begun")}; sleep 60; touch ${mark("over")}`;
  await ask("POST", `${AT}/checks`, { action: "add", command, name: "slow" });
  const start = () => ask("POST", `${AT}/verify`, { todo: "1", check: "slow" });
  const first = (await start()).body.run;
  expect((await start()).body.run).toBe(first);
  await until(() => existsSync(mark("begun")), "the check to start");
  expect((await running()).map(({ run, todo, step }) => ({ run, todo, step }))).toEqual([
    { run: first, todo: "1", step: "running" },
  ]);
  expect((await ask("DELETE", `${AT}/verify?todo=1`)).body).toEqual({ cancelled: 1 });
  await idle();
  expect(existsSync(mark("over"))).toBe(false);
});

test("refuses everything on a read-only page and in the demo", async () => {
  const found = () => {
    throw new Error("not read");
  };
  for (const { handle } of checkRoutes({ found })) {
    const answer = async () => handle({} as never);
    await expect(answer()).rejects.toMatchObject({ status: 409, code: "read_only" });
  }
});
