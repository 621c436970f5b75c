import type { Dialect, Emit } from "../agent.ts";
import { printOf } from "../common/memory.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { NATIVE_NEEDLES } from "../common/waymark-tool.ts";
import { emitList } from "./calls.ts";
import { places } from "./files.ts";
import { PLAN_NEEDLES } from "./plan.ts";
import { type GeminiState, startState } from "./state.ts";
import { readStream } from "./stream.ts";
import { applyFile, listOf, TRACKER_NEEDLES } from "./tracker.ts";
import { readChat } from "./transcript.ts";

export { projectFolder, projectsFile } from "./files.ts";

import { identity } from "./identity.ts";

export const gemini: Dialect<GeminiState> = {
  ...identity,
  needles: [
    '"write_todos"',
    '"invoke_agent"',
    '"todos"',
    "$rewindTo",
    ...TRACKER_NEEDLES,
    ...PLAN_NEEDLES,
    ...NATIVE_NEEDLES,
  ],
  sniff,
  start: startState,
  read,
  places,
  listSetting: {
    why: "only 2.x models that are named are given write_todos",
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

/** One file of many: what the folder holds so far is the list. */
function readTaskFile(state: GeminiState, file: Fields, emit: Emit): void {
  if (!applyFile(state.tracker, file)) return;
  const after = listOf(state.tracker) ?? [];
  const print = printOf(after);
  if (print === state.print) return;
  state.print = print;
  state.prints++;
  emitList(state, after, { key: `files-${state.prints}-${print}` }, emit);
}

function sniff(record: unknown): 0 | 1 | 2 {
  const given = fields(record);
  if (!given) return 0;
  if (isTaskFile(given)) return 1;
  if (text(given.projectHash) !== undefined && text(given.sessionId) !== undefined) return 2;
  if (given.type === "gemini" && text(given.id) !== undefined) return 2;
  if (fields(given.$set) || given.$rewindTo !== undefined) return 1;
  const stamped = text(given.timestamp) !== undefined;
  switch (given.type) {
    case "init":
      return stamped && text(given.session_id) !== undefined ? 2 : 0;
    case "tool_use":
      return text(given.tool_name) !== undefined && text(given.tool_id) !== undefined ? 2 : 0;
    case "tool_result":
      return text(given.tool_id) !== undefined && text(given.status) !== undefined ? 2 : 0;
    case "result":
      return stamped && fields(given.stats) ? 2 : 0;
    case "message":
    case "error":
      return stamped && given.message === undefined && given.id === undefined ? 1 : 0;
    case "user":
      return stamped && text(given.id) !== undefined && list(given.content) ? 1 : 0;
    default:
      return 0;
  }
}
