import { UsageError } from "../core/error.ts";
import { redactUrl } from "../core/text/redact.ts";

/** Whether a text is the address of a server that we know how to talk to. */
export function isServer(named: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(named);
}

/** The server that is meant, if any. */
export function sharedStore(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const named = given ?? env.WAYMARK_STORE;
  if (!named) return undefined;
  if (!isServer(named))
    throw new UsageError(
      `"${redactUrl(named).slice(0, 40)}" names no server. Give a URL such as postgres://user@host/database.`,
    );
  return named;
}
