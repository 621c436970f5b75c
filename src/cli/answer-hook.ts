import { logHook } from "../hosts/hook/log.ts";
import { type HookArguments, runHook } from "../hosts/hook/run.ts";
import { trimSpool } from "../hosts/hook/spool.ts";
import { openHome } from "./open.ts";
import { openTerminal } from "./terminal.ts";

/** Longer than this no agent waits for us. */
const DEADLINE = 3_000;
const WAIT_LIMIT = 2_000;

/**
 * Answers one hook. Whatever goes wrong, the agent gets an empty answer and the log a line; the
 * program ends well in every case.
 */
export async function answerHook(hook: HookArguments): Promise<void> {
  const { env } = process;
  const who = `${hook.agent} ${hook.event}`;
  let log = (_: string, __: unknown): void => {};
  const deadline = setTimeout(() => {
    log(who, `gave up after ${DEADLINE} ms`);
    process.exit(0);
  }, DEADLINE);
  try {
    const say = (line: string) => log(who, line);
    const home = openHome(env, say, { waitLimit: WAIT_LIMIT, fold: false });
    log = (whose, what) => logHook(home.path, whose, what);
    try {
      const answer = await runHook({
        ...hook,
        home: home.path,
        env,
        tracker: home.writing,
        problem: log,
      });
      if (answer !== undefined) openTerminal(env).print(JSON.stringify(answer));
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
