import { useEffect, useState } from "preact/hooks";
import { identityOf } from "../../../agents/identities.ts";
import type { AgentSummary, AgentsResponse } from "../../../core/wire.ts";
import { fetchAgents } from "../connection/api.ts";

/** The agents on this machine. Reloaded when the page gets focus: the user may have run a setup command. */
export function useAgents(isWanted: boolean): AgentsResponse | undefined {
  const [answer, setAnswer] = useState<AgentsResponse | undefined>();
  useEffect(() => {
    if (!isWanted) return undefined;
    let isMounted = true;
    const read = (): void => {
      if (document.hidden) return;
      fetchAgents().then(
        (next) => isMounted && setAnswer(next),
        // The header reports that the server is unreachable.
        () => undefined,
      );
    };
    read();
    addEventListener("focus", read);
    document.addEventListener("visibilitychange", read);
    return () => {
      isMounted = false;
      removeEventListener("focus", read);
      document.removeEventListener("visibilitychange", read);
    };
  }, [isWanted]);
  return answer;
}

/** The command that starts an agent, if `waymark setup` supports it. */
export function programOf({ agent }: Pick<AgentSummary, "agent">): string | undefined {
  return identityOf(agent)?.command;
}

/** Installed agents whose todo list is off and that have a setup command. */
export function withoutList(
  agents: readonly AgentSummary[],
): readonly (AgentSummary & { readonly command: string })[] {
  return agents.flatMap((each) => {
    const { found, list, command } = each;
    return found && list === "off" && command !== null ? [{ ...each, command }] : [];
  });
}
