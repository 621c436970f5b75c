import { UsageError } from "../core/error.ts";
import { redactUrl } from "../core/text/redact.ts";

/** Whether a text is a URL of a supported server. */
export function isServerUrl(named: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(named);
}

/** The URL of the shared server, if one is set. */
export function sharedStore(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const named = given ?? env.WAYMARK_STORE;
  if (!named) return undefined;
  if (!isServerUrl(named))
    throw new UsageError(
      `Invalid server "${redactUrl(named).slice(0, 40)}". Use a URL such as postgres://user@host/database.`,
    );
  return named;
}
