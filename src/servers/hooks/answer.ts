import { join } from "node:path";
import { type Home, openHome } from "../../home/open.ts";
import { trimSpool } from "../../home/spool.ts";
import { isDue } from "../../home/throttle.ts";
import { ownersAtWork } from "../../sessions/caller/session.ts";
import { logHook } from "./log.ts";
import { type HookArguments, runHook } from "./run.ts";

/** Longer than this no agent waits for us. */
const DEADLINE = 3_000;
const WAIT_LIMIT = 2_000;

/** The process that an agent started. */
export interface HookProcess {
  readonly env: NodeJS.ProcessEnv;
  print(text: string): void;
  /** Ends the process: the agent waits no longer. */
  giveUp(): void;
}

/**
 * Answers one hook. Whatever goes wrong, the agent gets an empty answer and the log a line; the
 * program ends well in every case.
 */
export async function answerHook(
  hook: HookArguments,
  { env, print, giveUp }: HookProcess,
): Promise<void> {
  const who = `${hook.agent} ${hook.event}`;
  let log = (_: string, __: unknown): void => {};
  const deadline = setTimeout(() => {
    log(who, `gave up after ${DEADLINE} ms`);
    giveUp();
  }, DEADLINE);
  try {
    const say = (line: string) => log(who, line);
    const home = openHome(env, say, { waitLimit: WAIT_LIMIT, fold: false });
    log = (whose, what) => logHook(home.path, whose, what);
    const seen = new Map<string, number>();
    try {
      const answer = await runHook({
        ...hook,
        home: home.path,
        env,
        tracker: home.writing,
        problem: log,
        saw: (id, at) => {
          for (const owner of ownersAtWork(id)) seen.set(owner, at);
        },
      });
      if (answer !== undefined) print(JSON.stringify(answer));
      await renew(home, seen, env.WAYMARK_STORE);
    } catch (error) {
      log(who, error);
      const dropped = trimSpool(home.path);
      if (dropped > 0) log("spool", `${dropped} of the oldest events were given up`);
    }
    await home.close();
  } catch (error) {
    log(who, error);
  }
  clearTimeout(deadline);
}

/** A server is not asked with every event, and not waited for when it is away. */
const EVERY = 20_000;
const PATIENCE = 1_000;

async function renew(
  { path, monitor }: Home,
  seen: ReadonlyMap<string, number>,
  server: string | undefined,
): Promise<void> {
  if (seen.size === 0 || (server && !isDue(join(path, "renewed"), EVERY))) return;
  for (const [owner, at] of seen) monitor.noteActive(owner, at);
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE).unref());
  await Promise.race([monitor.settled(), patience]);
}
