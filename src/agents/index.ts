import type { TaskFiles } from "../tasks/formats/format.ts";
import { acp } from "./acp/index.ts";
import type { Agent, Dialect } from "./agent.ts";
import { agentChatter } from "./agent-chatter/index.ts";
import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import type { HookAgent } from "./common/hooks/agent.ts";
import type { AgentSetup } from "./common/setup/agent.ts";
import { gemini } from "./gemini/index.ts";
import { hermes } from "./hermes/index.ts";
import type { Identity } from "./identity.ts";
import { ohMyPi } from "./oh-my-pi/index.ts";
import { openclaw } from "./openclaw/index.ts";
import { opencode } from "./opencode/index.ts";
import { qwen } from "./qwen/index.ts";
import { tableAgents } from "./table/index.ts";
import { waymark } from "./waymark/index.ts";

/**
 * The registry: every agent that Waymark knows. To add one, add a folder and a line here, or a row to
 * `table/table.ts`. If records could come from several agents, the first in this list gets them.
 */
export const AGENTS: readonly Agent[] = [
  waymark,
  claudeCode,
  codex,
  gemini,
  opencode,
  qwen,
  acp,
  ohMyPi,
  openclaw,
  agentChatter,
  ...tableAgents,
  hermes,
];

/** The decoders, in the order of the registry. */
export const DIALECTS: readonly Dialect[] = AGENTS.flatMap(({ decoder }) => decoder ?? []);

/** The agents that send hook events. */
export const HOOK_AGENTS: readonly HookAgent[] = AGENTS.flatMap(({ identity, hooks }) =>
  hooks ? [{ ...hooks, name: shortNameOf(identity), agentType: identity.id }] : [],
);

/** The agents that can be set up. */
export const SETUPS: readonly AgentSetup[] = AGENTS.flatMap(({ identity, setup }) => {
  if (!setup) return [];
  const agent = shortNameOf(identity);
  const { id: dialect, name, command = agent } = identity;
  return [{ ...setup, agent, dialect, name, command }];
});

/** The agents that keep tasks in files. */
export const TASK_FILES: readonly TaskFiles[] = AGENTS.flatMap(({ identity, taskFiles }) => {
  const { id, name } = identity;
  return taskFiles ? [{ ...taskFiles, id, name, kind: shortNameOf(identity) }] : [];
});

function shortNameOf({ id, shortName }: Identity): string {
  return shortName ?? id;
}

/**
 * The decoder of an agent.
 *
 * @param id the id of the agent, such as `codex`
 * @returns the decoder, if the registry has one
 */
export function findDialect(id: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.id === id);
}

/** The agent with this name on the command line. */
export function hookAgent(name: string): HookAgent | undefined {
  return HOOK_AGENTS.find((agent) => agent.name === name);
}

/** The setup of the agent with this name on the command line. */
export function findSetup(name: string): AgentSetup | undefined {
  return SETUPS.find(({ agent }) => agent === name);
}

/** The agent that records come from, and whether it is certain. */
export interface Sniffed {
  readonly dialect: Dialect;
  /** A record was among them that only this agent writes. */
  readonly sure: boolean;
}

/** What each dialect thinks of a record, in the order of the list. */
export type Scores = readonly (0 | 1 | 2)[];

export function scoresOf(record: unknown): Scores {
  return DIALECTS.map((dialect) => dialect.sniff(record));
}

/** The agent that most likely wrote the records, by their scores; undefined if no agent matches. */
export function whose(records: readonly Scores[]): Sniffed | undefined {
  let best: { readonly dialect: Dialect; readonly sure: number; readonly may: number } | undefined;
  for (const [place, dialect] of DIALECTS.entries()) {
    const sure = records.filter((scores) => scores[place] === 2).length;
    const may = records.filter((scores) => scores[place] === 1).length;
    if (sure + may === 0) continue;
    const better = !best || sure > best.sure || (sure === best.sure && may > best.may);
    if (better) best = { dialect, sure, may };
  }
  return best && { dialect: best.dialect, sure: best.sure > 0 };
}

/**
 * Finds the agent that wrote some records.
 *
 * @param records the first records of a source
 * @returns the most likely agent, if any is likely
 */
export function sniff(records: readonly unknown[]): Sniffed | undefined {
  return whose(records.map(scoresOf));
}
