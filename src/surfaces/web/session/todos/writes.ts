import { ASK_FOR_PROOF } from "../../../../core/checks/ask-for-proof.ts";
import { restoreOps } from "../../../../core/list/undo.ts";
import type { Op, Todo, Track } from "../../../../core/model.ts";
import { Refused, sendAccept, sendOps, sendPromotion } from "../../connection/api.ts";
import type { App } from "../../state/app-context.ts";
import { shortText, target, undoneEdit, undoneMove } from "./changes.ts";

/** Status changes with a single key. */
const MOVES = {
  finish: { verb: "Completed", status: "completed" },
  reopen: { verb: "Reopened", status: "pending" },
  drop: { verb: "Cancelled", status: "cancelled" },
} as const;

export type Move = keyof typeof MOVES;

/** Changes the list of a session. Each change is reported with a toast that undoes it, refusals as problems. */
export interface Writes {
  /** Returns the refusal. The caller shows it if it is a conflict. */
  send(
    ops: readonly Op[],
    base?: Todo,
    onDone?: (after: readonly Todo[]) => void,
  ): Promise<Refused | undefined>;
  setStatus(
    todo: Todo,
    move: Move,
    onConflict: (refused: Refused, ops: readonly Op[]) => void,
  ): Promise<void>;
  reorder(todo: Todo, to: number): void;
  promote(todo: Todo): Promise<void>;
  askForProof(todo: Todo): Promise<void>;
  acceptWarnings(todo: Todo): Promise<void>;
  notifyEdited(before: Todo, after: readonly Todo[]): void;
  notifyAdded(after: readonly Todo[]): void;
}

export function writesOf(app: App, track: Track): Writes {
  const send: Writes["send"] = async (ops, base, onDone) => {
    try {
      const after = await sendOps(track, ops, base && { [base.id]: base });
      onDone?.(after);
      return undefined;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!error.conflict) app.notify({ text: error.message, isProblem: true });
      return error;
    }
  };
  /** Restores a todo, unless it was changed since. */
  const restore = async (ops: readonly Op[], now: Todo | undefined): Promise<void> => {
    const refused = await send(ops, now);
    if (refused?.conflict) app.notify({ text: refused.message, isProblem: true });
  };
  const notify = (text: string, undo: readonly Op[], now: Todo | undefined): void =>
    void app.notify({ text, undo: () => void restore(undo, now) });
  /** Reports a request that is not a change of the list. */
  const report = async (request: () => Promise<string>): Promise<void> => {
    try {
      app.notify({ text: await request() });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      app.notify({ text: error.message, isProblem: true });
    }
  };
  return {
    send,
    async setStatus(todo, move, onConflict) {
      const ops: readonly Op[] = [{ op: move, ...target(todo.id) }];
      const refused = await send(ops, todo);
      if (refused) return onConflict(refused, ops);
      const { verb, status } = MOVES[move];
      const back = restoreOps(todo, { any: todo.id });
      notify(`${verb} “${shortText(todo)}”.`, back, { ...todo, status });
    },
    reorder(todo, to) {
      if (to < 0 || to >= track.todos.length) return;
      // The todo joins the phase at its new position.
      const phase = track.todos[to]?.phase ?? null;
      const moved: Op[] = [{ op: "move", ...target(todo.id), to }];
      if (phase !== (todo.phase ?? null))
        moved.push({ op: "edit", ...target(todo.id), set: { phase } });
      const back = undoneMove(track, todo);
      void send(moved, undefined, () => notify(`Moved “${shortText(todo)}”.`, back, undefined));
    },
    promote: (todo) =>
      report(async () => {
        const { task } = await sendPromotion(track, todo.id);
        return `Promoted “${shortText(todo)}” to task ${task}.`;
      }),
    async askForProof(todo) {
      const ops: readonly Op[] = [{ op: "note", ...target(todo.id), text: ASK_FOR_PROOF }];
      await send(ops, undefined, (after) => {
        const now = after.find(({ id }) => id === todo.id);
        notify(`Asked for proof of “${shortText(todo)}”.`, undoneEdit(todo), now);
      });
    },
    acceptWarnings: (todo) =>
      report(async () => {
        await sendAccept(track, todo.id);
        return "Warnings accepted.";
      }),
    notifyEdited(before, after) {
      const now = after.find(({ id }) => id === before.id);
      notify(`Changed “${shortText(before)}”.`, undoneEdit(before), now);
    },
    notifyAdded(after) {
      const known = new Set(track.todos.map(({ id }) => id));
      const added = after.filter(({ id, addedBy }) => !known.has(id) && addedBy === "user").at(-1);
      if (added)
        notify(`Added “${shortText(added)}”.`, [{ op: "remove", ...target(added.id) }], added);
    },
  };
}
