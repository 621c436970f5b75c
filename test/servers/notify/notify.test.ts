import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { emptyTrack } from "../../../src/core/evolve.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";
import { type NotifierOptions, openNotifier } from "../../../src/servers/notify/index.ts";
import { parseSinks } from "../../../src/servers/notify/sinks.ts";
import { newMachine, PROGRAM } from "../../cli/machine.ts";
import { start } from "../../cli/running.ts";
import { isRunning } from "../../running-process.ts";
import { until } from "../../until.ts";

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "waymark-notify-"));
  ended.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A program that records its arguments, one line per call. */
function fake(dir: string, name: string): () => string[][] {
  const file = join(dir, `${name}.calls`);
  mkdirSync(dir, { recursive: true });
  const script = [
    `#!${process.execPath}`,
    `const { WAYMARK_ALERT_TITLE: t, WAYMARK_ALERT_TEXT: x } = process.env;`,
    `const said = [...process.argv.slice(2), ...(t === undefined ? [] : [t, x])];`,
    `require("node:fs").appendFileSync(${JSON.stringify(file)}, JSON.stringify(said) + "\\n");`,
  ].join("\n");
  writeFileSync(join(dir, name), script);
  chmodSync(join(dir, name), 0o755);
  return () =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as string[])
      : [];
}

function finished(title: string, list = 1): MergedTrack {
  const at = Date.now() + 60_000;
  const todo = { id: "1", text: "x", status: "completed", createdAt: 1, movedBy: "agent" } as const;
  return {
    track: {
      ...emptyTrack({ session: "s", agent: "main" }),
      title,
      cwd: "/home/dev/shop",
      agentType: "codex",
      todos: [{ ...todo, finishedAt: at }],
      list,
    },
    hosted: true,
    state: "idle",
    findings: [],
    updatedAt: at,
  };
}

function notifier(given: string, more: Partial<NotifierOptions> = {}) {
  const problems: string[] = [];
  const sinks = parseSinks(given, (message) => {
    throw new Error(message);
  });
  const made = openNotifier({
    sinks,
    home: folder(),
    env: { PATH: "" },
    platform: "linux",
    now: Date.now(),
    onProblem: (message) => problems.push(message),
    delivery: { pauses: [10, 10] },
    ...more,
  });
  return { ...made, problems };
}

test("parses notification targets and refuses unknown ones", () => {
  const refuse = (message: string): never => {
    throw new Error(message);
  };
  const read = (given: string) => parseSinks(given, refuse);
  expect(read("desktop, bell,desktop,webhook=https://x.test/a,b?c=1,bell")).toEqual([
    { to: "desktop" },
    { to: "bell" },
    { to: "webhook", url: "https://x.test/a,b?c=1" },
  ]);
  expect(read("none")).toEqual([]);
  expect(() => read("pigeon")).toThrow("Use desktop, bell or webhook=URL");
  for (const url of ["file:///etc/passwd", "javascript:alert(1)", "x", ""])
    expect(() => read(`webhook=${url}`)).toThrow("https://");
});

const HOSTILE = '-x "$(touch pwned)" `id` <b>&\u001b]0;t\u0007\u202e\nnext';

test("passes texts to the desktop program unchanged, never through a shell", {
  tags: ["shell-injection"],
}, async () => {
  const bodies = "Codex in shop: 1 done, nothing verified";
  const title = 'Finished: -x "$(touch pwned)" `id` <b>&␛]0;t␇\\u{202e} next';
  const expected = {
    linux: ["notify-send", ["--app-name=Waymark", "--", title, bodies]],
    darwin: [
      "osascript",
      [
        expect.anything(),
        expect.anything(),
        expect.anything(),
        expect.anything(),
        "-e",
        "end run",
        title,
        bodies,
      ],
    ],
    win32: [
      "powershell.exe",
      [
        "-NoProfile",
        "-NonInteractive",
        "-Command",
        expect.stringContaining("$env:WAYMARK_ALERT_TITLE"),
        title,
        bodies,
      ],
    ],
  } as const;
  for (const platform of ["linux", "darwin", "win32"] as const) {
    const dir = folder();
    const [name, args] = expected[platform];
    const calls = fake(dir, name);
    const env = { PATH: [join(dir, "nothing"), dir].join(delimiter) };
    const made = notifier("desktop", { env, platform });
    const track = finished(HOSTILE);
    made.check([track]);
    made.check([track]);
    await made.close();
    expect({ platform, calls: calls(), problems: made.problems }).toEqual({
      platform,
      calls: [args],
      problems: [],
    });
    expect(existsSync("pwned")).toBe(false);
  }
});

test("delivers a notification once per home across processes", async () => {
  const dir = folder();
  const calls = fake(dir, "notify-send");
  const home = folder();
  const track = finished("Once");
  for (let n = 0; n < 2; n++) {
    const made = notifier("desktop", { home, env: { PATH: dir } });
    made.check([track]);
    await made.close();
  }
  const made = notifier("desktop", { home, env: { PATH: dir } });
  made.check([finished("Again", 2)]);
  await made.close();
  expect(calls().map((args) => args[2])).toEqual(["Finished: Once", "Finished: Again"]);
});

test("explains how to install a missing desktop program, and still rings the bell", async () => {
  const rung: string[] = [];
  const made = notifier("desktop,bell", { ring: (bytes) => rung.push(bytes) });
  made.check([finished(`${HOSTILE} ${"long ".repeat(500)}`)]);
  await made.close();
  expect(made.problems).toEqual([expect.stringContaining("libnotify")]);
  expect(rung.length).toBe(1);
  const [bytes = ""] = rung;
  expect(bytes.startsWith("\u0007\u001b]9;Finished: -x")).toBe(true);
  // No control character inside ends the sequence or starts another.
  expect(bytes.slice(4, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  expect(bytes.length).toBeLessThan(500);
});

interface Post {
  readonly key: string | undefined;
  readonly body: unknown;
}

async function hook(answer: (count: number, response: ServerResponse) => void) {
  const posts: Post[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    posts.push({ key: request.headers["idempotency-key"] as string, body: JSON.parse(text) });
    answer(posts.length, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ended.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { posts, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

const status = (code: number) => (_: number, response: ServerResponse) => {
  response.writeHead(code, { location: "/elsewhere" }).end();
};

test("posts each notification as JSON and retries temporary failures", async () => {
  const { posts, url } = await hook((count, response) => {
    response.writeHead(count === 1 ? 503 : 200).end();
  });
  const made = notifier(`webhook=${url}`);
  const track = finished("Paint");
  made.check([track]);
  await made.close();
  expect(posts.map(({ body }) => body)).toEqual(
    [1, 2].map(() => ({
      title: "Finished: Paint",
      text: "Codex in shop: 1 done, nothing verified",
      kind: "finished",
      at: new Date(track.updatedAt).toISOString(),
      session: "s",
      agent: "main",
      agentType: "codex",
      project: "shop",
    })),
  );
  expect(posts[0]?.key).toBe(posts[1]?.key);
  expect(made.problems).toEqual([]);
});

test("stops after errors, redirects and timeouts of a webhook, and reports them once", {
  tags: ["hanging-dependency"],
}, async () => {
  const cases = {
    no: { answer: status(404), tries: 1, why: "HTTP 404", timeout: 5_000 },
    elsewhere: { answer: status(307), tries: 1, why: "HTTP 307", timeout: 5_000 },
    broken: { answer: status(500), tries: 3, why: "HTTP 500", timeout: 5_000 },
    nothing: { answer: () => undefined, tries: 3, why: "timeout", timeout: 60 },
  };
  for (const [name, { answer, tries, why, timeout }] of Object.entries(cases)) {
    const { posts, url } = await hook(answer);
    const made = notifier(`webhook=${url}`, { delivery: { timeout, pauses: [5, 5] } });
    made.check([
      finished("Paint"),
      { ...finished("Other"), track: { ...finished("Other").track, session: "s2" } },
    ]);
    await made.close();
    expect({ name, tries: posts.length, problems: made.problems }).toEqual({
      name,
      tries: tries * 2,
      problems: [expect.stringContaining(why)],
    });
  }
});

test("reports an unusable webhook without its password", async () => {
  const made = notifier("webhook=https://me:s3cret@127.0.0.1:1/x?token=s3cret", {
    delivery: { timeout: 5_000, pauses: [] },
  });
  made.check([finished("Paint")]);
  await made.close();
  expect(made.problems).toEqual([expect.stringContaining("Cannot send a webhook notification")]);
  expect(made.problems.join()).not.toContain("s3cret");
});

test("kills a hanging desktop program with its children, and reports it once", {
  tags: ["hanging-dependency"],
}, async () => {
  const dir = folder();
  const file = join(dir, "pids");
  // Both would run for long.
  const script = `#!/bin/sh\nsleep 60 &\necho $$ $! >> '${file}'\nwait\n`;
  writeFileSync(join(dir, "notify-send"), script, { mode: 0o755 });
  const env = { PATH: `${dir}${delimiter}${process.env.PATH ?? ""}` };
  const pids = () =>
    (existsSync(file) ? readFileSync(file, "utf8") : "").match(/\d+/g)?.map(Number) ?? [];
  ended.push(() => {
    for (const pid of pids().filter(isRunning)) process.kill(pid, "SIGKILL");
  });
  const other = { ...finished("Other"), track: { ...finished("Other").track, session: "s2" } };

  const late = notifier("desktop", { env, delivery: { timeout: 2_000 } });
  late.check([finished("Paint"), other]);
  await until(
    () => pids().length === 4 && !pids().some(isRunning),
    "the end of both programs and their children",
  );
  await late.close();
  expect(late.problems).toEqual([
    "Cannot send a desktop notification: notify-send timed out after 2000 ms.",
  ]);
  expect(pids()).toHaveLength(4);

  const left = notifier("desktop", { env, delivery: { timeout: 60_000 } });
  left.check([finished("Paint")]);
  await left.close();
  expect(left.problems).toEqual(["Cannot send a desktop notification: notify-send was cancelled."]);
  expect(pids()).toHaveLength(6);
  await expect.poll(() => pids().filter(isRunning)).toEqual([]);
});

test("notifies from serve and watch", async () => {
  const machine = newMachine();
  ended.push(() => machine.remove());
  const bin = join(machine.root, "fake");
  const calls = fake(bin, "notify-send");
  const { posts, url } = await hook(status(200));
  machine.run(["todo", "add", "one", "--session", "demo"]);
  const env = {
    HOME: machine.root,
    WAYMARK_HOME: machine.home,
    PATH: [bin, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter),
  };
  const serve = start(
    process.execPath,
    [PROGRAM, "serve", "--port", "0", "--no-open", "--json", "--notify", `desktop,webhook=${url}`],
    env,
  );
  const watch = start(process.execPath, [PROGRAM, "watch"], { ...env, WAYMARK_NOTIFY: "desktop" });
  await serve.untilPrinted("\n");
  let isWatching = false;
  const received = watch.untilPrinted("beat").then(() => {
    isWatching = true;
  });
  let n = 0;
  await until(() => {
    if (!isWatching) machine.run(["todo", "add", `beat ${++n}`, "--session", "other"]);
    return isWatching;
  }, "a change that is printed");
  await received;
  machine.run(["todo", "done", "one", "--session", "demo"]);
  await expect.poll(() => posts.length).toBe(1);
  await expect.poll(() => calls().length).toBe(1);
  for (const each of [serve, watch]) {
    each.child.kill("SIGINT");
    await each.finished;
  }
  expect(calls().map((args) => args.slice(1))).toEqual([
    ["--", "Finished: one", "Waymark in project: 1 done, nothing verified"],
  ]);
  expect(posts.length).toBe(1);
  const refused = machine.run(["serve", "--notify", "pigeon", "--port", "0"]);
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("pigeon")]);
});
