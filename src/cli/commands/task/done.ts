import { UsageError } from "../../../core/error.ts";
import { oneLine } from "../../../core/text/escape.ts";
import { requireCurrentDirectory } from "../../../home/current-directory.ts";
import { catchInterrupts } from "../../../home/interrupts.ts";
import { trackOfOwner } from "../../../sessions/caller/session.ts";
import type { Task, TaskOp, TaskSender } from "../../../tasks/model.ts";
import { applyWithProofs, type TaskProving } from "../../../tasks/prove.ts";
import { canonical } from "../../../tasks/rules/needs.ts";
import { forcedFacts, USER, userOps } from "../../../tasks/rules/user-ops.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { type Call, defineCommand } from "../../args/command.ts";
import { EXIT, type Exit } from "../../io/exit.ts";
import { callingAgent, requirePerson } from "../../options/person.ts";
import {
  refuseTask,
  reportDuplicate,
  TASK,
  TASK_CHANGE_OPTIONS,
} from "../../options/task-change.ts";
import {
  claimOfCall,
  OWNER_OPTIONS,
  ownerOfCall,
  type TaskOwner,
} from "../../options/task-owner.ts";
import { taskForm } from "../../print/task-form.ts";
import { verifyProgress } from "../../verify/progress.ts";

const options = {
  ...OWNER_OPTIONS,
  evidence: {
    type: "string",
    value: "TEXT",
    summary: "Proof that it is done: a command, a path or a URL",
    repeatable: true,
    perCall: true,
  },
  verify: { type: "boolean", summary: "Run the check of the task first, if it has not passed" },
  force: {
    type: "boolean",
    summary: "Complete it although it is blocked, not claimed, or its check has not passed",
    perCall: true,
  },
  ...TASK_CHANGE_OPTIONS,
} as const;

type DoneCall = Call<typeof options>;

export const done = defineCommand({
  arguments: [TASK],
  options,
  notes: [
    "Only the owner can complete a task, and only after its blockers are done. --force completes a task that is not claimed, claimed by another owner, or blocked; it is for people, and the history records it.",
    "A task with a check can only be completed after the check has passed on the present files of its owner: with `waymark verify --task TASK` before, or with --verify; --force skips it.",
  ],
  examples: [
    {
      command: 'waymark task done t2 --evidence "npm test"',
      comment: "Complete the task that you claimed, with evidence",
    },
    {
      command: "waymark task done t1 --force",
      comment: "Complete a task that is not claimed",
    },
    {
      command: "waymark task done t2 --as ann --epoch 1 --verify",
      comment: "Run its check, and complete it if the check passes",
    },
  ],
  seeAlso: ["task claim", "task fail"],
  run,
});

async function run(call: DoneCall): Promise<Exit> {
  const { args, values, terminal } = call;
  const [id = ""] = args;
  if (values.verify && values.force)
    throw new UsageError("--verify and --force cannot be combined.");
  if (values.force) requirePerson(call, "--force");
  const by = values.force && values.as === undefined ? USER_ITSELF : ownerOfCall(call);
  const store = await call.home.tasks("writing", values.store);
  const { answer, unproven } = await applyWithProofs(
    store,
    await finishOp(call, by, store),
    senderOf(call, by),
    (task) => prove(call, task),
  );
  if (!answer.ok) {
    const { refused } = answer;
    for (const line of unproven?.output?.trimEnd().split("\n") ?? []) terminal.printError(line);
    const reason = unproven?.reason;
    const context = {
      owner: by.owner,
      command: `waymark task done ${canonical(id)}`,
      mayForce: !values.force && callingAgent(call) === undefined,
    };
    if (reason === undefined) return refuseTask(call, refused, context);
    const message = `${refused.id} is not completed. ${reason}`;
    return refuseTask(call, { ...refused, message }, context);
  }
  const [task] = answer.tasks;
  reportDuplicate(terminal, answer);
  if (values.json) terminal.printJson(task && taskForm(task));
  else if (task) terminal.printText(summaryOf(task));
  return EXIT.success;
}

/** With --force and without --as, the user acts on the claim of any owner. */
const USER_ITSELF: TaskOwner = { owner: USER, sender: { by: "user" } };

async function finishOp(call: DoneCall, by: TaskOwner, store: TaskStore): Promise<TaskOp> {
  const [id = ""] = call.args;
  const { evidence, force, epoch } = call.values;
  const more = { ...(evidence !== undefined && { evidence }), ...(force && { force: true }) };
  // A user may close the task of an agent, as on the page.
  const task = by === USER_ITSELF && epoch === undefined ? await store.get(id) : undefined;
  if (task) return { ...userOps.finish(task), ...more };
  const held = [await claimOfCall(call, by, id, store)];
  return { op: "finish", owner: by.owner, held, ...more };
}

function senderOf({ values: { key, force } }: DoneCall, { sender }: TaskOwner): TaskSender {
  return {
    ...sender,
    ...(force && { by: "user" }),
    via: "cli",
    ...(key !== undefined && { key }),
  };
}

/** Looks for a proof on the present files of the owner; with --verify, runs the check. */
async function prove(call: DoneCall, task: Task): Promise<TaskProving> {
  const { home, env, values } = call;
  const { findPassedCheck, proveTask, taskDirectory } = await import(
    "../../../servers/verify/task-proof.ts"
  );
  const context = { home, env };
  const cwd = await taskDirectory(requireCurrentDirectory(), await ownerDirectory(call, task));
  if (!values.verify) {
    const proof = await findPassedCheck(context, cwd, task.check ?? "");
    return proof ? { ok: true, proof } : { ok: false };
  }
  const stop = new AbortController();
  const interrupts = catchInterrupts(() => stop.abort());
  const progress = values.json ? undefined : verifyProgress(call.terminal);
  try {
    return await proveTask(context, task, {
      cwd,
      signal: stop.signal,
      ...(progress && { onProgress: progress.show }),
    });
  } finally {
    progress?.end();
    interrupts.release();
  }
}

/** The directory of the agent that owns the task, if its list is known here. */
async function ownerDirectory({ home }: DoneCall, { owner }: Task): Promise<string | undefined> {
  const id = owner === undefined ? undefined : trackOfOwner(owner);
  return id && (await (await home.reading()).list(id).read()).cwd;
}

function summaryOf({ id, evidence, proof }: Task): string {
  if (proof && "forced" in proof)
    return `Completed ${id} without its check ${oneLine(proof.check)}`;
  const forced = forcedFacts(evidence);
  if (forced.length > 0) return `Completed ${id} although ${forced.join(", and ")}`;
  return `Completed ${id}${evidence.length > 0 ? "" : " without evidence"}`;
}
