import type { Emit } from "../agent.ts";
import { recall, remember } from "../common/memory.ts";
import { addSubagent, parentOf } from "../common/subagents.ts";
import { type Fields, fields, number, text } from "../common/values.ts";
import { contextOf, type OpencodeState } from "./state.ts";

interface SessionInfo {
  readonly id: string;
  readonly parent?: string | undefined;
  readonly cwd?: string | undefined;
  readonly version?: string | undefined;
  readonly title?: string | undefined;
  readonly name?: string | undefined;
  readonly model?: string | undefined;
  readonly at?: number | undefined;
}

/** Reads the description of a session from the server or an old session file. */
export function readInfo(state: OpencodeState, info: Fields, emit: Emit): void {
  const id = text(info.id);
  if (id === undefined) return;
  emitStarted(
    state,
    {
      id,
      parent: text(info.parentID),
      cwd: text(info.directory),
      version: text(info.version),
      title: text(info.title),
      name: text(info.agent),
      at: number(fields(info.time)?.created),
    },
    emit,
  );
}

/** Emits the start of a session, once. */
export function emitStarted(state: OpencodeState, known: SessionInfo, emit: Emit): void {
  const { id, parent, cwd, version, model } = known;
  if (recall(state.started, id)) return;
  remember(state.started, id, true);
  if (parent !== undefined) addSubagent(state.subagents, id, parent);
  const parentId = parentOf(state.subagents, id);
  const title = isPlaceholder(known.title) ? undefined : known.title;
  emit(
    {
      type: "session.started",
      ...(cwd !== undefined && { cwd }),
      ...(model !== undefined && { model }),
      ...(version !== undefined && { version }),
      ...(title !== undefined && { title }),
      ...(parentId !== undefined && { parentId }),
      ...(parentId !== undefined && known.name !== undefined && { name: known.name }),
    },
    { ...contextOf(state, id), key: id, at: known.at },
  );
}

/** The title of a session before it gets one. */
function isPlaceholder(title: string | undefined): boolean {
  return title !== undefined && /^(?:New|Child) session - \d{4}-/.test(title);
}
