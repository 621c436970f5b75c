import { join } from "node:path";
import type { Reminder } from "../../core/model.ts";
import { type Home, openHome } from "../../home/open.ts";
import { trimSpool } from "../../home/spool.ts";
import { isDue } from "../../home/throttle.ts";
import { leaseOwners } from "../../sessions/caller/session.ts";
import { logHook } from "./log.ts";
import { type HookArguments, runHook } from "./run.ts";
import type { StoppingAgent } from "./stop-check.ts";

/** Milliseconds after which the hook exits without an answer, so that it never delays the agent for long. */
const DEADLINE = 3_000;
const WAIT_LIMIT = 2_000;
/** Milliseconds for everything else, beside the check at a stop. */
const STOP_CHECK_GRACE = 8_000;

/** Problems of configuration files are logged once in this time, in milliseconds. */
const LOG_EVERY = 60_000;
const MOST_LOGGED = 3;

/** The process that an agent started. */
export interface HookProcess {
  readonly env: NodeJS.ProcessEnv;
  /** Problems of configuration files. */
  readonly problems?: readonly string[];
  print(text: string): void;
  /** Ends the process without an answer, so that the agent continues. */
  exit(): void;
}

/**
 * Answers one hook. On any failure the agent gets an empty answer, the log gets a line, and the exit code is still 0.
 */
export async function answerHook(
  hook: HookArguments,
  { env, print, exit, problems = [] }: HookProcess,
): Promise<void> {
  const source = `${hook.agent} ${hook.event}`;
  let log = (_: string, __: unknown): void => {};
  const endAfter = (limit: number) =>
    setTimeout(() => {
      log(source, `timed out after ${limit} ms`);
      exit();
    }, limit);
  let deadline = endAfter(DEADLINE);
  const stopCheck = env.WAYMARK_STOP_CHECK
    ? async (home: Home, stopping: StoppingAgent): Promise<Reminder | undefined> => {
        const { checkAtStop, stopCheckFromEnv } = await import("./stop-check.ts");
        const settings = stopCheckFromEnv(env);
        if (!settings) return undefined;
        clearTimeout(deadline);
        deadline = endAfter(settings.limitMs + STOP_CHECK_GRACE);
        try {
          const { reminder, problem } = await checkAtStop({ home, env }, settings, stopping);
          if (problem !== undefined) log(source, problem);
          return reminder;
        } catch (error) {
          // No check, or one that cannot run: the agent stops as usual.
          log(source, error);
          return undefined;
        }
      }
    : undefined;
  try {
    const warn = (line: string) => log(source, line);
    const home = openHome(env, warn, { waitLimit: WAIT_LIMIT, ingest: false });
    log = (from, problem) => logHook(home.path, from, problem);
    if (problems.length > 0 && isDue(join(home.path, "config-logged"), LOG_EVERY))
      for (const problem of problems.slice(0, MOST_LOGGED)) log("config", problem);
    const active = new Map<string, number>();
    try {
      const answer = await runHook({
        ...hook,
        home: home.path,
        env,
        tracker: home.writing,
        stopCheck: stopCheck && ((stopping) => stopCheck(home, stopping)),
        onProblem: log,
        onActivity: (id, at) => {
          for (const owner of leaseOwners(id)) active.set(owner, at);
        },
      });
      if (answer !== undefined) print(JSON.stringify(answer));
      await renew(home, active, env.WAYMARK_STORE);
    } catch (error) {
      log(source, error);
      const dropped = trimSpool(home.path);
      if (dropped > 0) log("spool", `dropped the ${dropped} oldest events: the spool is full`);
    }
    await home.close();
  } catch (error) {
    log(source, error);
  }
  clearTimeout(deadline);
}

/** Milliseconds between two renewals on a task server, and how long the hook waits for one. */
const RENEW_EVERY = 20_000;
const RENEW_TIMEOUT = 1_000;

/** Renews the leases of active owners. */
async function renew(
  { path, monitor }: Home,
  active: ReadonlyMap<string, number>,
  server: string | undefined,
): Promise<void> {
  if (active.size === 0 || (server && !isDue(join(path, "renewed"), RENEW_EVERY))) return;
  for (const [owner, at] of active) monitor.noteActive(owner, at);
  const timeout = new Promise((resolve) => setTimeout(resolve, RENEW_TIMEOUT).unref());
  await Promise.race([monitor.settled(), timeout]);
}
