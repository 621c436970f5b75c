import { acp } from "./acp/index.ts";
import type { Agent, Decoder } from "./agent.ts";
import { agentChatter } from "./agent-chatter/index.ts";
import { claudeCode } from "./claude-code/index.ts";
import { cline } from "./cline/index.ts";
import { codex } from "./codex/index.ts";
import { continueCli } from "./continue/index.ts";
import { copilot } from "./copilot/index.ts";
import { cursor } from "./cursor/index.ts";
import { gemini } from "./gemini/index.ts";
import { hermes } from "./hermes/index.ts";
import { kilo } from "./kilo/index.ts";
import { kimi } from "./kimi/index.ts";
import { langchain } from "./langchain/index.ts";
import { ohMyPi } from "./oh-my-pi/index.ts";
import { openclaw } from "./openclaw/index.ts";
import { opencode } from "./opencode/index.ts";
import { pi } from "./pi/index.ts";
import { qwen } from "./qwen/index.ts";
import { tableAgents } from "./table/index.ts";
import { vscode } from "./vscode/index.ts";
import { waymark } from "./waymark/index.ts";
import { windsurf } from "./windsurf/index.ts";
import { zed } from "./zed/index.ts";

/**
 * The registry: every agent that Waymark knows. To add one, add a folder and a line here, or a row to
 * `table/table.ts`. When records could come from several agents, the first in this list wins.
 *
 * It has identities and decoders only. The hooks, setups and task files of the same agents are in `hooks.ts`,
 * `setup.ts` and `task-files.ts`, which only the commands that need them import.
 */
export const AGENTS: readonly Agent[] = [
  waymark,
  claudeCode,
  codex,
  gemini,
  opencode,
  qwen,
  kimi,
  kilo,
  copilot,
  acp,
  pi,
  ohMyPi,
  openclaw,
  continueCli,
  cline,
  langchain,
  agentChatter,
  vscode,
  cursor,
  ...tableAgents,
  zed,
  hermes,
  windsurf,
];

/** The decoders of all agents, in the order of the registry. */
export const DECODERS: readonly Decoder[] = AGENTS.flatMap(({ decoder }) => decoder ?? []);

/**
 * Finds the decoder of an agent.
 *
 * @param id the id of the agent, such as `codex`
 * @returns the decoder, or undefined for an unknown id
 */
export function findDecoder(id: string): Decoder | undefined {
  return DECODERS.find((decoder) => decoder.id === id);
}

/** Whether an agent was tested with its real program, by its `basis`. */
export function isProven({ basis }: Pick<Decoder, "basis">): boolean {
  return !/documentation only|never run/.test(basis);
}

/** The agent that most likely wrote some records. */
export interface Detection {
  readonly decoder: Decoder;
  /** At least one record can only come from this agent. */
  readonly certain: boolean;
}

/** The scores of all decoders for one record, in the order of `DECODERS`. */
export type Scores = readonly (0 | 1 | 2)[];

export function scoresOf(record: unknown): Scores {
  return DECODERS.map((decoder) => decoder.score(record));
}

/** Picks the decoder with the best scores. Undefined if no decoder matches a record. */
export function bestMatch(records: readonly Scores[]): Detection | undefined {
  let best: { decoder: Decoder; certain: number; possible: number } | undefined;
  for (const [index, decoder] of DECODERS.entries()) {
    const certain = records.filter((scores) => scores[index] === 2).length;
    const possible = records.filter((scores) => scores[index] === 1).length;
    if (certain + possible === 0) continue;
    const isBetter =
      !best || certain > best.certain || (certain === best.certain && possible > best.possible);
    if (isBetter) best = { decoder, certain, possible };
  }
  return best && { decoder: best.decoder, certain: best.certain > 0 };
}

/**
 * Detects the agent that wrote some records.
 *
 * @param records the first records of a source
 * @returns the most likely agent, or undefined if no decoder recognizes a record
 */
export function detectAgent(records: readonly unknown[]): Detection | undefined {
  return bestMatch(records.map(scoresOf));
}
