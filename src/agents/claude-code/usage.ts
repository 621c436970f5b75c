import { addUsage, NO_USAGE, type Usage } from "../../core/activity/usage.ts";
import type { Writable } from "../../core/writable.ts";
import type { Emit } from "../agent.ts";
import { recall, remember } from "../common/memory.ts";
import { count, countOnce, difference, keyOf, type UsageShape, usageOf } from "../common/usage.ts";
import { type Fields, fields, text } from "../common/values.ts";
import { agentOf, type ClaudeState, contextOf, type Line } from "./state.ts";

const BY_MODEL: UsageShape = {
  input: ["inputTokens"],
  output: ["outputTokens"],
  cacheRead: "cacheReadInputTokens",
  cacheWrite: "cacheCreationInputTokens",
  cacheWriteHour: "cacheCreationEphemeral1hInputTokens",
  reasoning: "thinkingTokens",
};

/** The fields of a line of a session file that `readUsage` needs. */
export const USAGE_FIELDS = {
  type: true,
  sessionId: true,
  isSidechain: true,
  agentId: true,
  timestamp: true,
  requestId: true,
  forkedFrom: true,
  message: { id: true, model: true, usage: true },
} as const;

/**
 * Reads the usage of a request. Every content block of a message is one record with the usage so far; the last one
 * counts. Forks repeat the records of another session, which count there.
 */
export function readUsage(state: ClaudeState, line: Line, given: Fields, emit: Emit): void {
  const message = fields(given.message);
  const usage = messageUsage(message);
  if (!message || !usage || isCopy(state, given)) return;
  const id = text(message.id) ?? text(given.requestId) ?? text(given.request_id) ?? line.uuid;
  const model = text(message.model);
  const added = id === undefined ? usage : countOnce(state.counted, id, usage);
  if (!added) return;
  if (state.kind === "stream") countInRun(state, model, added);
  // Requests that warm the cache belong to no agent that is shown.
  const agent = agentOf(state, line.agent).ignored ? "main" : line.agent;
  emit(
    { type: "usage", ...(model !== undefined && { model }), usage: added },
    contextOf({ ...line, agent }, id && keyOf(id, usage, added)),
  );
}

/** Input excludes the cache. The output includes thinking. Every line has this, so it is read directly. */
function messageUsage(message: Fields | undefined): Usage | undefined {
  const given = fields(message?.usage);
  if (!given) return undefined;
  const usage: Writable<Usage> = {
    input: count(given.input_tokens),
    output: count(given.output_tokens),
    cacheRead: count(given.cache_read_input_tokens),
    cacheWrite: count(given.cache_creation_input_tokens),
    reasoning: count(fields(given.output_tokens_details)?.thinking_tokens),
    requests: 1,
  };
  const cacheWriteHour = count(fields(given.cache_creation)?.ephemeral_1h_input_tokens);
  if (cacheWriteHour > 0) usage.cacheWriteHour = cacheWriteHour;
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0 ? usage : undefined;
}

function isCopy(state: ClaudeState, given: Fields): boolean {
  if (given.forkedFrom !== undefined) return true;
  return state.fixed && given.sessionId !== undefined && given.sessionId !== state.session;
}

function countInRun(state: ClaudeState, model: string | undefined, added: Usage): void {
  const name = model ?? "";
  state.run ??= [];
  remember(state.run, name, addUsage(recall(state.run, name) ?? NO_USAGE, added));
}

/**
 * Reads the totals at the end of a run of `--output-format stream-json`. The messages before it have the usage of
 * their beginning, and some requests are no messages of the stream.
 */
export function readRunUsage(state: ClaudeState, line: Line, given: Fields, emit: Emit): void {
  // Totals are those of the process. Newer versions have those of the run as well.
  const ofRun = fields(given.model_usage_since_last_result);
  for (const [model, value] of Object.entries(ofRun ?? fields(given.modelUsage) ?? {})) {
    const total = usageOf(fields(value) ?? {}, BY_MODEL);
    if (!total) continue;
    const counted = recall(state.run ?? [], model) ?? NO_USAGE;
    const added = difference({ ...total, requests: 0 }, { ...counted, requests: 0 });
    if (!added || Object.values(added).some((each) => each < 0)) continue;
    countInRun(state, model, added);
    emit(
      { type: "usage", model, usage: added },
      contextOf(line, line.uuid && `${line.uuid}.${model}`),
    );
  }
  if (ofRun) delete state.run;
}
