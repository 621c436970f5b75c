import { CommandError } from "../../core/error.ts";
import { sessionOfCaller } from "../../sessions/caller/session.ts";
import type { Call } from "../args/command.ts";
import { isTty } from "../io/terminal.ts";

/**
 * Throws if an agent runs the command: a check counts because a person approved it. An agent's shell has no terminal; a
 * person who started one from an agent's shell has.
 */
export function requirePerson({ env, home }: Pick<Call, "env" | "home">, what: string): void {
  const isAgent = sessionOfCaller({ env, pid: process.pid, home: home.path }) !== undefined;
  if (!isAgent || isTty(0)) return;
  throw new CommandError(
    `${what} is a decision of the user, and this command runs in the session of an agent. Ask the user to run it in a terminal.`,
  );
}
