import type { Emit } from "../agent.ts";
import { adopt, parentOf } from "../common/family.ts";
import { recall, remember } from "../common/memory.ts";
import { type Fields, fields, number, text } from "../common/values.ts";
import { about, type OpencodeState } from "./state.ts";

interface Known {
  readonly id: string;
  readonly parent?: string | undefined;
  readonly cwd?: string | undefined;
  readonly version?: string | undefined;
  readonly title?: string | undefined;
  readonly name?: string | undefined;
  readonly model?: string | undefined;
  readonly at?: number | undefined;
}

/** A session as the server and the old session files describe it. */
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

/** Said once for a session, whichever record comes first. */
export function emitStarted(state: OpencodeState, known: Known, emit: Emit): void {
  const { id, parent, cwd, version, model } = known;
  if (recall(state.started, id)) return;
  remember(state.started, id, true);
  if (parent !== undefined) adopt(state.family, id, parent);
  const parentId = parentOf(state.family, id);
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
    { ...about(state, id), key: id, at: known.at },
  );
}

/** A session is called this until it has a title. */
function isPlaceholder(title: string | undefined): boolean {
  return title !== undefined && /^(?:New|Child) session - \d{4}-/.test(title);
}
