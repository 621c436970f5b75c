import { CommandError } from "../../core/error.ts";
import { type Session, sessionOfCaller } from "../../sessions/caller/session.ts";
import type { Call } from "../args/command.ts";
import { isTty } from "../io/terminal.ts";

type Caller = Pick<Call, "env" | "home">;

/**
 * The agent that runs the command; undefined for a person. An agent's shell has no terminal; a person who started one from
 * an agent's shell has.
 */
export function callingAgent({ env, home }: Caller): Session | undefined {
  const agent = sessionOfCaller({ env, pid: process.pid, home: home.path });
  return agent && !isTty(0) ? agent : undefined;
}

/** Throws if an agent runs the command: a check counts because a person approved it. */
export function requirePerson(caller: Caller, what: string): void {
  if (!callingAgent(caller)) return;
  throw new CommandError(
    `${what} is a decision of the user, and this command runs in the session of an agent. Ask the user to run it in a terminal.`,
  );
}
