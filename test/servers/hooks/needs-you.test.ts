import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { waymark } from "../../cli/running.ts";
import { FIXTURES } from "../../sessions/home.ts";

const ROOT = join(FIXTURES, "needs-you");
const COMMAND = "npm install left-pad";
/** The form of ids in Codex file names. */
const CODEX_ID = "019f2a10-77aa-7c10-8a55-0c1d2e3f4a5b";
const QUESTION = "Which port should the server use?";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-needs-you-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const env = () => ({ HOME: home, WAYMARK_HOME: join(home, "waymark") });

interface Session {
  readonly session: string;
  readonly state: string;
  readonly waiting?: unknown;
}

async function ls(): Promise<readonly Session[]> {
  const { stdout } = await waymark(["ls", "--json"], "", env());
  return JSON.parse(stdout.toString()).map(({ session, state, waiting }: Session) => ({
    session: session.replace(CODEX_ID, "waits"),
    state,
    ...(waiting !== undefined && { waiting }),
  }));
}

/** Runs one hook command for each recorded event. */
async function feed(agent: string, file: string): Promise<void> {
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const { event, payload } = JSON.parse(line);
    const { code, stderr } = await waymark(["hook", agent, event], JSON.stringify(payload), env());
    expect({ event, code, stderr }).toEqual({ event, code: 0, stderr: "" });
  }
}

function expected(kind: string, tool: unknown) {
  const text = { permission: COMMAND, question: QUESTION, plan: expect.any(String) }[kind];
  const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  return [{ session: "waits", state: "needs_you", waiting: { kind, text, tool, since } }];
}

const CASES = readdirSync(ROOT).flatMap((agent) =>
  readdirSync(join(ROOT, agent)).map((kind) => [agent, kind] as const),
);

describe("hooks", () => {
  const hooked = CASES.filter(([agent, kind]) =>
    existsSync(join(ROOT, agent, kind, "pending.jsonl")),
  );

  test.each(hooked)(
    "%s, %s: needs you until the agent continues",
    async (agent, kind) => {
      const folder = join(ROOT, agent, kind);
      const name = agent.split("-")[0] ?? agent;
      await feed(name, join(folder, "pending.jsonl"));
      expect(await ls()).toEqual(expected(kind, expect.any(String)));
      await feed(name, join(folder, "after.jsonl"));
      expect(await ls()).toEqual([{ session: "waits", state: "idle" }]);
    },
    60_000,
  );

  test("has a recorded permission prompt and question of every agent with hooks", () => {
    for (const agent of ["claude", "codex", "copilot", "gemini", "kimi", "omp", "opencode", "qwen"])
      for (const kind of ["permission", "question"]) expect(hooked).toContainEqual([agent, kind]);
  });
});

describe("session files", () => {
  const FILES: Readonly<Record<string, string>> = {
    claude: ".claude/projects/-srv-app/waits.jsonl",
    codex: `.codex/sessions/2026/11/17/rollout-2026-11-17T10-31-00-${CODEX_ID}.jsonl`,
    copilot: ".copilot/session-state/waits/events.jsonl",
    qwen: ".qwen/projects/-srv-app/chats/waits.jsonl",
    omp: ".omp/agent/sessions/--srv-app--/2026-11-17T10-31-00-000Z_waits.jsonl",
    kimi: ".kimi-code/sessions/wd_app_0/waits/agents/main/wire.jsonl",
  };

  function writeFile(file: string, text: string): void {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  }

  /** A recording shifted in time, so that its last line is a second old. */
  function recent(text: string): string {
    const times = [...text.matchAll(/2026-11-17T[\d:.]+Z/g)].map(([time]) => Date.parse(time));
    const counts = [...text.matchAll(/"time":(\d+)/g)].map(([, time]) => Number(time));
    const shift = Date.now() - 1_000 - Math.max(...times, ...counts);
    return text
      .replace(/2026-11-17T[\d:.]+Z/g, (time) => new Date(Date.parse(time) + shift).toISOString())
      .replace(/"time":(\d+)/g, (_, time) => `"time":${Number(time) + shift}`);
  }

  const session = (agent: string, kind: string, when: string) =>
    recent(
      readFileSync(join(ROOT, agent, kind, `session-${when}.jsonl`), "utf8").replaceAll(
        '"waits"',
        JSON.stringify(agent === "codex" ? CODEX_ID : "waits"),
      ),
    );

  /** Kimi Code also records permission prompts. */
  const recorded = CASES.filter(([agent, kind]) =>
    agent === "kimi" ? true : kind === "question" && FILES[agent] !== undefined,
  );

  test.each(recorded)(
    "%s, %s: needs you while the request is open",
    async (agent, kind) => {
      writeFile(FILES[agent] ?? "", session(agent, kind, "pending"));
      expect(await ls()).toEqual(expected(kind, expect.any(String)));
      writeFile(FILES[agent] ?? "", session(agent, kind, "after"));
      expect(await ls()).toEqual([{ session: "waits", state: "idle" }]);
    },
    60_000,
  );

  test("copilot: needs you while a permission request is open", async () => {
    writeFile(FILES.copilot ?? "", session("copilot", "permission", "pending"));
    expect(await ls()).toEqual(expected("permission", "bash"));
    writeFile(FILES.copilot ?? "", session("copilot", "permission", "after"));
    expect(await ls()).toEqual([{ session: "waits", state: "idle" }]);
  }, 60_000);

  test("claude: reads a permission prompt from the file of the running process", async () => {
    const status = (file: object) =>
      writeFile(
        `.claude/sessions/${process.pid}.json`,
        JSON.stringify({ pid: process.pid, sessionId: "waits", cwd: "/srv/app", ...file }),
      );
    writeFile(FILES.claude ?? "", session("claude", "permission", "pending"));
    expect(await ls()).toEqual([{ session: "waits", state: "working" }]);
    status({ status: "waiting", waitingFor: "permission prompt", statusUpdatedAt: Date.now() });
    expect(await ls()).toEqual(expected("permission", "Bash"));
    status({ status: "busy", statusUpdatedAt: Date.now() + 10 });
    expect(await ls()).toEqual([{ session: "waits", state: "working" }]);
  }, 60_000);

  test("claude: ignores the file of a process that ended", async () => {
    writeFile(FILES.claude ?? "", session("claude", "permission", "pending"));
    writeFile(
      ".claude/sessions/2147483647.json",
      JSON.stringify({
        pid: 2147483647,
        sessionId: "waits",
        status: "waiting",
        waitingFor: "permission prompt",
        statusUpdatedAt: Date.now(),
      }),
    );
    expect(await ls()).toEqual([{ session: "waits", state: "working" }]);
  }, 60_000);
});
