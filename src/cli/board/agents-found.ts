import { DIALECTS } from "../../dialects/index.ts";
import { discover } from "../../follow/discover.ts";
import type { AgentFound } from "../../surfaces/board/state.ts";
import { machineOf } from "../agents.ts";

/** Where Waymark looks, for somebody who sees nothing. */
export function agentsFound(env: NodeJS.ProcessEnv): readonly AgentFound[] {
  const { roots, unreadable } = discover(DIALECTS, machineOf(env, undefined));
  const there = new Set(roots.filter((root) => root.there).map(({ dialect }) => dialect));
  const broken = new Set(unreadable.map(({ dialect }) => dialect));
  const known = DIALECTS.filter(({ id }) => there.has(id) || broken.has(id));
  const others = DIALECTS.filter(
    ({ id, places }) => places && !known.some((each) => each.id === id),
  );
  return [
    ...known.map(({ id, name }) => ({
      name,
      agentType: id,
      words: broken.has(id)
        ? "its session folder cannot be read; run waymark doctor"
        : "installed, no session today",
      broken: broken.has(id),
    })),
    ...(others.length > 0
      ? [
          {
            name: others
              .slice(0, 2)
              .map(({ name }) => name)
              .join(", "),
            agentType: "",
            words: `${others.length > 2 ? `and ${others.length - 2} others: ` : ""}not installed`,
            broken: false,
          },
        ]
      : []),
  ];
}
