import { redactUrl } from "../../core/text/redact.ts";
import type { Options } from "../io/command.ts";
import { UsageError } from "../io/exit.ts";

/** Of every command that shows, or tells of, the agents of more than one machine. */
export const STORE_OPTION = {
  store: {
    type: "string",
    value: "URL",
    summary: "The server that machines share: postgres://...; else WAYMARK_STORE",
  },
} as const satisfies Options;

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
