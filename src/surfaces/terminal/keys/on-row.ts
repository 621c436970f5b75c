import { planFingerprint } from "../../../core/plan/decide.ts";
import { type BoardRow, hasOpenPlan } from "../../../core/views/board.ts";
import { agentLook } from "../../text/agents.ts";
import { whereToAnswer } from "../../text/requests.ts";
import type { BoardData, BoardState } from "../state.ts";
import { type KeyResult, withMessage } from "./key-result.ts";
import { withUndo } from "./undo.ts";

/** Keys for a session, on every screen that shows one. */
export function onRow(state: BoardState, name: string, row: BoardRow, data: BoardData): KeyResult {
  const { session, agent } = row.track;
  const id = { session, agent };
  const selected = { ...state, selected: row.key };
  const seen = row.plan && { seen: planFingerprint(row.plan) };
  switch (name) {
    case "a":
      return (
        refuseDecision(selected, row) ?? {
          state: selected,
          action: { type: "plan", id, decision: "approve", ...seen },
        }
      );
    case "r":
      return (
        refuseDecision(selected, row) ?? {
          state: { ...selected, field: { kind: "reject", text: "", ...seen } },
        }
      );
    case "c":
      if (!row.plan) return withMessage(selected, "This session has no plan to comment on.");
      return (
        refuseExternal(selected, row) ?? {
          state: { ...selected, field: { kind: "comment", text: "" } },
        }
      );
    case "e":
      return refuseExternal(selected, row) ?? { state: selected, action: { type: "edit", id } };
    case "p":
      if (!row.plan) return withMessage(selected, "This session has no plan.");
      return { state: { ...selected, screen: "plan", scroll: 0 } };
    case "n":
      return (
        refuseExternal(selected, row) ?? {
          state: { ...selected, field: { kind: "add", text: "" } },
        }
      );
    case "g":
      return { state: selected, action: { type: "jump", row } };
    case "A":
      return archived(selected, row, data);
    case "h":
      return {
        state: { ...selected, screen: "history", step: Number.MAX_SAFE_INTEGER },
        action: { type: "history", row, step: Number.MAX_SAFE_INTEGER },
      };
    default:
      return { state };
  }
}

export function refuseExternal(state: BoardState, row: BoardRow): KeyResult | undefined {
  if (row.hosted) return undefined;
  const name = agentLook(row.track.agentType).name || "the agent";
  return withMessage(state, `Read-only: ${name} manages this list.`);
}

function refuseDecision(state: BoardState, row: BoardRow): KeyResult | undefined {
  if (row.state === "needs_you" && !hasOpenPlan(row)) return withMessage(state, whereToAnswer(row));
  if (!hasOpenPlan(row)) return withMessage(state, "No plan is waiting for approval.");
  if (row.hosted) return undefined;
  const name = agentLook(row.track.agentType).name || "agent's";
  return withMessage(state, `Decide in the ${name} terminal.`);
}

/** Archives the session of a row, or takes it out of the archive. */
function archived(state: BoardState, row: BoardRow, { now }: BoardData): KeyResult {
  const { session } = row.track;
  const change = { type: "archive", session, seen: lastChange(row) } as const;
  const isArchived = row.archived !== undefined;
  const done = withUndo(state, { ...change, archived: isArchived }, now);
  return {
    state: {
      ...done,
      message: isArchived
        ? "Shown again. Press u to undo."
        : "Archived until it changes. Press u to undo.",
    },
    action: { ...change, archived: !isArchived },
  };
}

function lastChange(row: BoardRow): number {
  return row.children.reduce((last, child) => Math.max(last, lastChange(child)), row.updatedAt);
}
