import { acp } from "./acp/decoder.ts";
import type { Dialect } from "./agent.ts";
import { agentChatter } from "./agent-chatter/decoder.ts";
import { claudeCode } from "./claude-code/decoder.ts";
import { codex } from "./codex/decoder.ts";
import { gemini } from "./gemini/decoder.ts";
import { hermes } from "./hermes/decoder.ts";
import { ohMyPi } from "./oh-my-pi/decoder.ts";
import { openclaw } from "./openclaw/decoder.ts";
import { opencode } from "./opencode/decoder.ts";
import { qwen } from "./qwen/decoder.ts";
import { tabled } from "./table/decoder.ts";
import { waymark } from "./waymark/decoder.ts";

/** Every dialect. Where records could come from several, the one that stands first is taken. */
export const DIALECTS: readonly Dialect[] = [
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
  ...tabled,
  hermes,
];

export function findDialect(id: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.id === id);
}

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

/** Whose records these most likely are, by their scores; nothing where nobody's. */
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

export function sniff(records: readonly unknown[]): Sniffed | undefined {
  return whose(records.map(scoresOf));
}
