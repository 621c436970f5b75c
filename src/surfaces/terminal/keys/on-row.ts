import { planMark } from "../../../core/plan/decide.ts";
import { type BoardRow, hasOpenPlan } from "../../../core/views/board.ts";
import { agentLook } from "../../text/agents.ts";
import { whereToAnswer } from "../../text/waiting.ts";
import type { BoardState, World } from "../state.ts";
import { type Pressed, said } from "./pressed.ts";

/** What can be done to a track wherever it is shown. */
export function onRow(state: BoardState, name: string, row: BoardRow, world: World): Pressed {
  const { session, agent } = row.track;
  const id = { session, agent };
  const selected = { ...state, selected: row.key };
  const seen = row.plan && { seen: planMark(row.plan) };
  switch (name) {
    case "a":
      return (
        notDecided(selected, row) ?? {
          state: selected,
          act: { type: "plan", id, decision: "approve", ...seen },
        }
      );
    case "r":
      return (
        notDecided(selected, row) ?? {
          state: { ...selected, field: { kind: "reject", text: "", ...seen } },
        }
      );
    case "c":
      if (!row.plan) return said(selected, "There is no plan to comment on.");
      return (
        notOurs(selected, row) ?? { state: { ...selected, field: { kind: "comment", text: "" } } }
      );
    case "e":
      return notOurs(selected, row) ?? { state: selected, act: { type: "edit", id } };
    case "p":
      if (!row.plan) return said(selected, "There is no plan.");
      return { state: { ...selected, place: "plan", scroll: 0 } };
    case "n":
      return notOurs(selected, row) ?? { state: { ...selected, field: { kind: "add", text: "" } } };
    case "u":
      return undone(selected, world);
    case "h":
      return {
        state: { ...selected, place: "history", step: Number.MAX_SAFE_INTEGER },
        act: { type: "past", row, step: Number.MAX_SAFE_INTEGER },
      };
    default:
      return { state };
  }
}

export function notOurs(state: BoardState, row: BoardRow): Pressed | undefined {
  if (row.hosted) return undefined;
  const name = agentLook(row.track.agentType).name || "the agent";
  return said(
    state,
    `This list is kept by ${name}: it is shown here, but only ${name} changes it.`,
  );
}

function notDecided(state: BoardState, row: BoardRow): Pressed | undefined {
  if (row.state === "needs_you" && !hasOpenPlan(row)) return said(state, whereToAnswer(row));
  if (!hasOpenPlan(row)) return said(state, "No plan waits here.");
  if (row.hosted) return undefined;
  const name = agentLook(row.track.agentType).name || "The agent";
  return said(state, `${name} asks in its own window: decide there.`);
}

function undone(state: BoardState, { now }: World): Pressed {
  const { undo } = state;
  if (!undo || undo.until < now) return said({ ...state, undo: undefined }, "Nothing to undo.");
  const { id, ops } = undo;
  return { state: { ...state, undo: undefined }, act: { type: "ops", id, ops } };
}
