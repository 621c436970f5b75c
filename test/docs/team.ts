import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AgentAction, RECORDING, type Step } from "../../src/demo/recording.ts";
import {
  claudeTranscript,
  codexTranscript,
  geminiTranscript,
  type TranscriptWriter,
} from "../../src/demo/transcripts.ts";
import { openHome } from "../../src/home/open.ts";

/** The moment of the recording, in its seconds, when every state of a session occurs. */
const MOMENT = 29;
/** Real milliseconds per second of the recording. */
const PACE = 15_000;
const SECOND = 1_000;

/** How long ago the last step of each agent was. Codex has waited for a command for longer than five minutes. */
const SILENT: Readonly<Record<string, number>> = {
  claude: 14 * SECOND,
  "test-writer": 20 * SECOND,
  explore: 240 * SECOND,
  codex: 370 * SECOND,
  gemini: 5 * SECOND,
};

/**
 * Writes the agents of the demo into a home directory: their session files, and a plan that waits for approval. With
 * `hasUsage`, the messages of Claude Code record their tokens.
 */
export async function writeTeam(
  home: string,
  ownDirectory: string,
  hasUsage = false,
): Promise<void> {
  const now = Date.now();
  const claude = "c1a0de00-0000-4000-8000-000000000001";
  const api = join(home, "ledger-api");
  const web = join(home, "ledger-web");
  const writers: Readonly<Record<string, TranscriptWriter>> = {
    claude: claudeTranscript(claude, api),
    explore: claudeTranscript(claude, api, "explore"),
    "test-writer": claudeTranscript(claude, api, "test-writer"),
    codex: codexTranscript("019f2a10-0000-7000-8000-000000000002", join(home, "infra"), now),
    gemini: geminiTranscript("9e310000-0000-4000-8000-000000000003", web, now),
  };
  for (const name of ["ledger-api", "ledger-web", "infra"]) mkdirSync(join(home, name));
  mkdirSync(join(home, ".gemini"));
  writeFileSync(
    join(home, ".gemini/projects.json"),
    JSON.stringify({ projects: { [web]: "ledger-web" } }),
  );
  const steps = RECORDING.filter(({ at }) => at < MOMENT).toSorted((a, b) => a.at - b.at);
  for (const [actor, writer] of Object.entries(writers)) {
    const own = steps.filter((step) => step.actor === actor);
    const last = own.at(-1)?.at ?? 0;
    const timeOf = ({ at }: Step) => now - (SILENT[actor] ?? 0) - (last - at) * PACE;
    const written = own.flatMap((step) => writer.records(step.action as AgentAction, timeOf(step)));
    const records = hasUsage ? written.map(withUsage) : written;
    const file = join(home, writer.file);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }
  await proposePlan(ownDirectory, web, steps);
}

/** Tokens for a message of Claude Code; the cache grows with each. */
function withUsage(record: object, index: number): object {
  const { type, message } = record as { readonly type?: string; readonly message?: object };
  if (type !== "assistant") return record;
  const usage = {
    input_tokens: 900 + 210 * index,
    output_tokens: 700 + 90 * index,
    cache_read_input_tokens: 18_000 + 4_100 * index,
    cache_creation_input_tokens: 2_400,
  };
  return { ...record, message: { ...message, model: "claude-opus-5-5", usage } };
}

async function proposePlan(
  ownDirectory: string,
  cwd: string,
  steps: readonly Step[],
): Promise<void> {
  const [plan] = steps.flatMap(({ action }) => ("propose" in action ? action.propose : []));
  if (plan === undefined) throw new Error("The recording proposes no plan.");
  const own = openHome({ WAYMARK_HOME: ownDirectory }, (line) => {
    throw new Error(line);
  });
  try {
    const list = (await own.writing()).list(
      { session: "checkout", agent: "main" },
      { agentType: "opencode", cwd, title: "Move checkout to the new form kit" },
    );
    await list.plan.propose(plan, { by: "agent", via: "opencode" });
  } finally {
    await own.close();
  }
}
