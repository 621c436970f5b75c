import type { Decoder, Emit } from "../agent.ts";
import { hashOf } from "../common/memory.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { WAYMARK_NEEDLES } from "../common/waymark-tool.ts";
import { emitList } from "./calls.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { PLAN_NEEDLES } from "./plan.ts";
import { type GeminiState, startState } from "./state.ts";
import { readStream } from "./stream.ts";
import { applyFile, listOf, TRACKER_NEEDLES } from "./tracker.ts";
import { readChat } from "./transcript.ts";
import { readUsage, USAGE_FIELDS } from "./usage.ts";

export { projectFolder, projectsFile } from "./files.ts";

export const gemini: Decoder<GeminiState> = {
  ...identity,
  needles: [
    '"write_todos"',
    '"invoke_agent"',
    '"todos"',
    "$rewindTo",
    ...TRACKER_NEEDLES,
    ...PLAN_NEEDLES,
    ...WAYMARK_NEEDLES,
  ],
  usage: { needle: ['"tokens"', '"gemini"'], fields: USAGE_FIELDS, read: readUsage },
  score,
  start: startState,
  read,
  locations: locations,
  listSetting: {
    why: "only 2.x models get write_todos, and only if the model is named",
    setting: "start it with -m gemini-2.5-pro",
  },
};

const STREAM = ["init", "message", "tool_use", "tool_result", "error", "result"];

function read(state: GeminiState, record: unknown, emit: Emit): void {
  const given = fields(record);
  if (!given) return;
  if (isTaskFile(given)) readTaskFile(state, given, emit);
  else if (STREAM.includes(text(given.type) ?? "") && given.id === undefined)
    readStream(state, given, emit);
  else readChat(state, given, emit);
}

function isTaskFile(given: Fields): boolean {
  return (
    /^[0-9a-f]{6}$/.test(text(given.id) ?? "") &&
    text(given.title) !== undefined &&
    list(given.dependencies) !== undefined
  );
}

/** Reads one task file. The files read so far make up the list. */
function readTaskFile(state: GeminiState, file: Fields, emit: Emit): void {
  if (!applyFile(state.tracker, file)) return;
  const after = listOf(state.tracker) ?? [];
  const hash = hashOf(after);
  if (hash === state.listHash) return;
  state.listHash = hash;
  state.listCount++;
  emitList(state, after, { key: `files-${state.listCount}-${hash}` }, emit);
}

function score(record: unknown): 0 | 1 | 2 {
  const given = fields(record);
  if (!given) return 0;
  if (isTaskFile(given)) return 1;
  if (text(given.projectHash) !== undefined && text(given.sessionId) !== undefined) return 2;
  if (given.type === "gemini" && text(given.id) !== undefined) return 2;
  if (fields(given.$set) || given.$rewindTo !== undefined) return 1;
  const hasTime = text(given.timestamp) !== undefined;
  switch (given.type) {
    case "init":
      return hasTime && text(given.session_id) !== undefined ? 2 : 0;
    case "tool_use":
      return text(given.tool_name) !== undefined && text(given.tool_id) !== undefined ? 2 : 0;
    case "tool_result":
      return text(given.tool_id) !== undefined && text(given.status) !== undefined ? 2 : 0;
    case "result":
      return hasTime && fields(given.stats) ? 2 : 0;
    case "message":
    case "error":
      return hasTime && given.message === undefined && given.id === undefined ? 1 : 0;
    case "user":
      return hasTime && text(given.id) !== undefined && list(given.content) ? 1 : 0;
    default:
      return 0;
  }
}
