/** An action of an agent, in the steps that its hooks report. */
export type Action =
  | { readonly kind: "edit"; readonly file: string; readonly by?: string }
  | { readonly kind: "failed edit"; readonly file: string }
  | { readonly kind: "refused edit"; readonly file: string }
  | { readonly kind: "read"; readonly file: string }
  | { readonly kind: "command" };

interface Agent {
  readonly session: string;
  readonly wrote: Set<string>;
  /** Announced edits without a result. */
  readonly open: Set<string>;
  /** `WHO FILE` of edits that were refused without an event: known only when a later call of that agent ends. */
  readonly unresolved: Set<string>;
  /** `WHO OTHER FILE` of every notice that the agent or its subagent received. */
  readonly told: Set<string>;
  /** `OTHER FILE` of every notice that one of them must receive with its next result. */
  readonly due: Set<string>;
  /** The same, until the end: an agent and its subagent receive a notice once each. */
  readonly pending: Set<string>;
}

/** The notices of two agents, by the definition of a collision alone. */
export function newOracle(sessions: readonly [string, string]) {
  const agents = sessions.map(
    (session): Agent => ({
      session,
      wrote: new Set(),
      open: new Set(),
      unresolved: new Set(),
      told: new Set(),
      due: new Set(),
      pending: new Set(),
    }),
  ) as [Agent, Agent];
  const own = (index: number) => agents[index] as Agent;
  const other = (index: number) => agents[1 - index] as Agent;
  return {
    agents,
    /** Whether the edit must be denied, may be denied, or must not be. */
    announce(index: number, file: string, by: string): "must" | "may" | "no" {
      const peer = other(index);
      const key = `${peer.session} ${file}`;
      if (own(index).told.has(`${by} ${key}`)) return "no";
      if (peer.wrote.has(file) || peer.open.has(file)) return "must";
      return [...peer.unresolved].some((each) => each.endsWith(` ${file}`)) ||
        own(index).pending.has(key)
        ? "may"
        : "no";
    },
    noticed(index: number, file: string, by: string): void {
      const key = `${other(index).session} ${file}`;
      const isFirst = !isTold(own(index), key);
      own(index).told.add(`${by} ${key}`);
      own(index).due.delete(key);
      const back = `${own(index).session} ${file}`;
      if (!isFirst || isTold(other(index), back)) return;
      other(index).due.add(back);
      other(index).pending.add(back);
    },
    /**
     * Whether the collision is known before the second write. If both announced their edits before either wrote, only the
     * later one could be notified.
     */
    isWarned(index: number, file: string): boolean {
      const [me, peer] = [own(index), other(index)];
      return (
        !peer.wrote.has(file) ||
        isTold(me, `${peer.session} ${file}`) ||
        isTold(peer, `${me.session} ${file}`)
      );
    },
  };
}

function isTold({ told }: Agent, key: string): boolean {
  return [...told].some((each) => each.endsWith(` ${key}`));
}
