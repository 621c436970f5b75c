import type { Plan, PlanEntry } from "@agentclientprotocol/sdk";
import type { PlanUpdate } from "@agentclientprotocol/sdk/experimental/v2";
import type { Status, Todo } from "../../core/model.ts";

/** Protocol version 1, or the draft of version 2. */
export type AcpEra = "v1" | "v2";

/**
 * The protocol version that client and agent negotiated in `initialize`.
 *
 * @param protocolVersion the `protocolVersion` in the response to `initialize`
 * @returns the version to send updates in
 */
export function acpEra(protocolVersion: number): AcpEra {
  return protocolVersion >= 2 ? "v2" : "v1";
}

/** A plan update, for version 1 or 2 of the protocol. */
export type PlanMessage =
  | (Plan & { sessionUpdate: "plan" })
  | (PlanUpdate & { sessionUpdate: "plan_update" });

/**
 * The whole list as a plan update; the client replaces its plan with it.
 *
 * @param todos the todos of a track
 * @param era the protocol version
 * @param planId the plan id, used in version 2
 * @returns the update
 */
export function planMessage(todos: readonly Todo[], era: AcpEra, planId: string): PlanMessage {
  if (era === "v2") {
    const entries = todos.map((todo) =>
      entryOf(todo, todo.status === "blocked" ? "pending" : todo.status),
    );
    return { sessionUpdate: "plan_update", plan: { type: "items", planId, entries } };
  }
  const entries = todos.flatMap((todo) => {
    const status = V1_STATUS[todo.status];
    return status ? [entryOf(todo, status)] : [];
  });
  return { sessionUpdate: "plan", entries };
}

/** Version 1 has three statuses. Cancelled todos are left out of the plan. */
const V1_STATUS: Readonly<Record<Status, PlanEntry["status"] | undefined>> = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "completed",
  blocked: "pending",
  cancelled: undefined,
};

const PRIORITIES: readonly string[] = ["high", "medium", "low"] satisfies PlanEntry["priority"][];

function entryOf<S extends string>(
  { text, status: own, priority = "" }: Todo,
  status: S,
): { content: string; priority: PlanEntry["priority"]; status: S; _meta?: object & Meta } {
  return {
    content: text,
    priority: PRIORITIES.includes(priority) ? (priority as PlanEntry["priority"]) : "medium",
    status,
    // The protocol lacks this status; clients that know Waymark can read it here.
    ...(own !== status && { _meta: { waymark: { status: own } } }),
  };
}

interface Meta {
  [key: string]: unknown;
}
