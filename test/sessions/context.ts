import { utimesSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { Draft } from "../../src/core/model.ts";
import { openHome } from "../../src/home/open.ts";
import type { SessionsCall } from "../../src/sessions/sources.ts";
import { type ClaudeSession, claudeSession } from "../cli/claude-session.ts";
import { newUserHome, type UserHome } from "./home.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** The dependencies of a command or server, in this process, with a separate home directory. */
export interface TestContext {
  readonly call: SessionsCall;
  readonly user: UserHome;
  /** A second run of the program: it remembers nothing of the first. */
  again(): SessionsCall;
  /** Messages for the user. */
  readonly printed: string[];
  /** How often the user was shown that transcripts are being read. */
  readsOfTranscripts(): number;
  /** Writes a list to our own store. */
  host(
    id: { readonly session: string; readonly agent?: string },
    todos: readonly Draft[],
    origin?: { readonly cwd?: string; readonly agentType?: string; readonly parentAgent?: string },
  ): Promise<void>;
  /** Writes the session file of an agent; its last record is this many milliseconds old. */
  transcript(
    session: string,
    write: (file: ClaudeSession, at: number) => unknown,
    options?: { readonly cwd?: string; readonly age?: number },
  ): string;
  /** The session file of a subagent. */
  subagent(
    session: string,
    agent: string,
    write: (file: ClaudeSession, at: number) => unknown,
    options?: { readonly cwd?: string; readonly age?: number },
  ): string;
}

export const CWD = "/srv/shop";

export function newContext(env: Readonly<Record<string, string>> = {}): TestContext {
  const user = newUserHome();
  onTestFinished(() => user.remove());
  vi.stubEnv("HOME", user.path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const printed: string[] = [];
  let reads = 0;
  const open = (): SessionsCall => {
    const settings = { HOME: user.path, WAYMARK_HOME: join(user.path, "waymark"), ...env };
    const terminal = {
      printError: (line: string) => void printed.push(line),
      progress() {
        reads += 1;
        return { update: () => undefined, end: () => undefined };
      },
    };
    const home = openHome(settings, terminal.printError);
    onTestFinished(() => home.close());
    return { home, env: settings, terminal };
  };
  const call = open();
  const now = Date.now();
  const put = (
    file: string,
    session: string,
    write: (file: ClaudeSession, at: number) => unknown,
    { cwd = CWD, age = MINUTE }: { readonly cwd?: string; readonly age?: number } = {},
    convert: (text: string) => string = (text) => text,
  ) => {
    const written = claudeSession(session, cwd);
    write(written, now - age);
    const path = user.write(file, convert(written.text()));
    const seconds = (now - age) / 1_000;
    utimesSync(path, seconds, seconds);
    return path;
  };
  return {
    call,
    user,
    again: open,
    printed,
    readsOfTranscripts: () => reads,
    async host({ session, agent = "main" }, todos, origin = { cwd: CWD }) {
      const tracker = await call.home.writing();
      const { ok } = await tracker.list({ session, agent }, origin).set(todos, { by: "agent" });
      if (!ok) throw new Error("the list was refused");
    },
    transcript: (session, write, options) =>
      put(`.claude/projects/-srv-shop/${session}.jsonl`, session, write, options),
    subagent: (session, agent, write, options) =>
      put(
        `.claude/projects/-srv-shop/${session}/subagents/agent-${agent}.jsonl`,
        session,
        write,
        options,
        (text) =>
          text
            .trimEnd()
            .split("\n")
            .map((line) => {
              const record = { ...JSON.parse(line), isSidechain: true, agentId: agent };
              return `${JSON.stringify(record)}\n`;
            })
            .join(""),
      ),
  };
}
