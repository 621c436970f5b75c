import { ownerOf } from "../../sessions/caller/session.ts";
import type { QueueChange, QueueState, TaskSender } from "../../tasks/model.ts";
import type { Call, Options } from "../args/command.ts";
import { callingAgent } from "../options/person.ts";
import { TASK_STORE_OPTION } from "../options/task-change.ts";

/** For commands that change the queue. */
export const QUEUE_OPTIONS = {
  as: {
    type: "string",
    value: "NAME",
    summary: "Name that the pause is recorded with",
    default: "the agent's session, else $USER",
  },
  json: { type: "boolean", summary: "Print the state of the queue as JSON", perCall: true },
  ...TASK_STORE_OPTION,
} as const satisfies Options;

type QueueCall = Pick<Call<typeof QUEUE_OPTIONS>, "values" | "home" | "env">;

export async function sendQueueChange(call: QueueCall, change: QueueChange): Promise<QueueState> {
  const { values, home, env } = call;
  const agent = callingAgent(call);
  const actor = values.as ?? (agent ? ownerOf(agent) : env.USER || env.LOGNAME || undefined);
  const sender: TaskSender = {
    by: agent ? "agent" : "user",
    via: "cli",
    ...(actor !== undefined && { actor }),
  };
  return (await home.tasks("writing", values.store)).setQueue(change, sender);
}
