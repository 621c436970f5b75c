import { useEffect, useState } from "preact/hooks";
import { identityOf } from "../../../agents/identities.ts";
import type { AgentSummary, AgentsAnswer } from "../../../core/wire.ts";
import { fetchAgents } from "../connection/api.ts";

/**
 * The agents on this machine. Read again when the user comes back to the page: they may have run a command
 * in a terminal meanwhile.
 */
export function useAgents(isWanted: boolean): AgentsAnswer | undefined {
  const [answer, setAnswer] = useState<AgentsAnswer | undefined>();
  useEffect(() => {
    if (!isWanted) return undefined;
    let isThere = true;
    const read = (): void => {
      if (document.hidden) return;
      fetchAgents().then(
        (next) => isThere && setAnswer(next),
        // The page says elsewhere that the server does not answer.
        () => undefined,
      );
    };
    read();
    addEventListener("focus", read);
    document.addEventListener("visibilitychange", read);
    return () => {
      isThere = false;
      removeEventListener("focus", read);
      document.removeEventListener("visibilitychange", read);
    };
  }, [isWanted]);
  return answer;
}

/** The command that starts an agent in a terminal, where `waymark setup` knows it. */
export function programOf({ agent }: Pick<AgentSummary, "agent">): string | undefined {
  return identityOf(agent)?.command;
}

/** Agents on this machine whose models have no todo list, and a command that gives them one. */
export function withoutList(
  agents: readonly AgentSummary[],
): readonly (AgentSummary & { readonly command: string })[] {
  return agents.flatMap((each) => {
    const { found, list, command } = each;
    return found && list === "off" && command !== null ? [{ ...each, command }] : [];
  });
}
