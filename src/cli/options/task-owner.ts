import { UsageError } from "../../core/error.ts";
import {
  type CommandCaller,
  recallCommandClaim,
  rememberCommandClaim,
} from "../../sessions/caller/claims.ts";
import { ownerOf, type Session } from "../../sessions/caller/session.ts";
import type { ClaimRef, Task, TaskOp, TaskSender } from "../../tasks/model.ts";
import { canonical } from "../../tasks/rules/needs.ts";
import { ownEpoch } from "../../tasks/rules/task-at.ts";
import type { TaskStore } from "../../tasks/store.ts";
import { parseInteger } from "../args/arguments.ts";
import {
  type Call,
  type Command,
  defineCommand,
  type Example,
  type Options,
} from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { taskForm } from "../print/task-form.ts";
import { callingAgent } from "./person.ts";
import { refuseTask, reportDuplicate, sendTask, TASK, TASK_CHANGE_OPTIONS } from "./task-change.ts";

/** For commands of the owner of a task. */
export const OWNER_OPTIONS = {
  as: {
    type: "string",
    value: "OWNER",
    summary: "Owner of the claim",
    default: "the session of the agent that runs the command, else USER",
  },
  epoch: {
    type: "string",
    value: "N",
    summary: "Epoch of the claim",
    default: "the claim of this session, or the owner's only claim",
    perCall: true,
  },
} as const satisfies Options;

/** The owner in whose name a command runs. */
export interface TaskOwner {
  readonly owner: string;
  /** The agent that runs the command; absent for a person. */
  readonly agent?: Session | undefined;
  readonly sender: Pick<TaskSender, "by" | "actor">;
}

type OwnerCall = Pick<Call, "env" | "home"> & {
  readonly values: { readonly as?: string; readonly store?: string };
};

/** The owner that --as names (default: the session of the agent, else the user). */
export function ownerOfCall(call: OwnerCall): TaskOwner {
  const { env } = call;
  const agent = callingAgent(call);
  const { as } = call.values;
  const user = [env.USER, env.LOGNAME, env.USERNAME].find((name) => name?.trim());
  const owner = as ?? (agent ? ownerOf(agent) : user);
  if (owner === undefined)
    throw new UsageError("Missing --as OWNER. Name the owner of the task, e.g. --as ann.");
  // A name with --as may be that of any agent.
  const by = agent || as !== undefined ? "agent" : "user";
  return { owner, agent, sender: { by, actor: owner } };
}

function callerOf({ agent }: TaskOwner): CommandCaller {
  return { session: agent?.session, pid: process.pid };
}

function storeOf({ env, values }: OwnerCall): string {
  return values.store ?? env.WAYMARK_STORE ?? "";
}

/** Remembers claims for later commands of the same caller. */
export function rememberClaims(call: OwnerCall, by: TaskOwner, tasks: readonly Task[]): void {
  for (const { id, epoch } of tasks)
    rememberCommandClaim(
      call.home.path,
      { store: storeOf(call), task: id, owner: by.owner, epoch },
      callerOf(by),
    );
}

/**
 * The claim that a command is about. Without --epoch it is the one that this caller made, or the
 * stored one if no other caller can be meant: the owner is this session, or has no other claim.
 */
export async function claimOfCall(
  call: OwnerCall & { readonly values: { readonly epoch?: string } },
  by: TaskOwner,
  name: string,
  store: Pick<TaskStore, "get" | "list">,
): Promise<ClaimRef> {
  const { epoch: given } = call.values;
  if (given !== undefined) return { id: name, epoch: parseInteger("--epoch", given, 0) };
  const { owner, agent } = by;
  const claim = { store: storeOf(call), task: canonical(name), owner };
  const recalled = recallCommandClaim(call.home.path, claim, callerOf(by));
  if (recalled !== undefined) return { id: name, epoch: recalled };
  const own = ownEpoch(await store.get(name), owner);
  if (own === undefined) return { id: name };
  const isSession = agent !== undefined && ownerOf(agent) === owner;
  const isOnly = async () => (await store.list({ owner, status: "claimed", limit: 2 })).length < 2;
  return isSession || (await isOnly()) ? { id: name, epoch: own } : { id: name };
}

interface Action<O extends Options> {
  /** The name after `waymark task`. */
  readonly name: string;
  readonly options: O;
  readonly notes?: readonly string[];
  readonly examples: readonly Example[];
  readonly seeAlso: readonly string[];
  op(values: Call<O>["values"], by: { owner: string; held: readonly ClaimRef[] }): TaskOp;
  summarize(task: Task): string;
}

/** Defines a command that the owner of a task runs on it. */
export function ownerCommand<const O extends Options>(action: Action<O>): Command {
  const { options, notes, examples, seeAlso } = action;
  return defineCommand({
    arguments: [TASK],
    options: { ...OWNER_OPTIONS, ...options, ...TASK_CHANGE_OPTIONS },
    ...(notes && { notes }),
    examples,
    seeAlso,
    async run(given) {
      // TypeScript cannot prove that `O` leaves the shared options alone.
      const call = given as unknown as Call<typeof OWNER_OPTIONS & typeof TASK_CHANGE_OPTIONS>;
      const { values, terminal, home } = call;
      const [id = ""] = call.args;
      const by = ownerOfCall(call);
      const { owner, sender } = by;
      const claimed = { owner, held: [{ id }] };
      // Checks the options before the store is opened.
      const opOf = (held: readonly ClaimRef[]) =>
        action.op(given.values as Call<O>["values"], { ...claimed, held });
      opOf(claimed.held);
      const held = [await claimOfCall(call, by, id, await home.tasks("writing", values.store))];
      const answer = await sendTask(call, opOf(held), sender);
      const command = `waymark task ${action.name} ${canonical(id)}`;
      if (!answer.ok) return refuseTask(call, answer.refused, { owner, command });
      const [task] = answer.tasks;
      reportDuplicate(terminal, answer);
      if (values.json) terminal.printJson(task && taskForm(task));
      else if (task) terminal.printText(action.summarize(task));
      return EXIT.success;
    },
  });
}
