import type { Awaitable } from "../../../core/awaitable.ts";
import { UsageError } from "../../../core/error.ts";
import { oneLine } from "../../../core/text/escape.ts";
import { requireCurrentDirectory } from "../../../home/current-directory.ts";
import { catchInterrupts } from "../../../home/interrupts.ts";
import { trackOfOwner } from "../../../sessions/caller/session.ts";
import type { Task, TaskOp, TaskSender } from "../../../tasks/model.ts";
import { applyWithProofs, type TaskProving } from "../../../tasks/prove.ts";
import { USER, userOps } from "../../../tasks/rules/user-ops.ts";
import { parseInteger } from "../../args/arguments.ts";
import { type Call, defineCommand } from "../../args/command.ts";
import { EXIT, type Exit } from "../../io/exit.ts";
import { requirePerson } from "../../options/person.ts";
import {
  refuseTask,
  reportDuplicate,
  TASK,
  TASK_CHANGE_OPTIONS,
} from "../../options/task-change.ts";
import { OWNER_OPTIONS, requireOwner } from "../../options/task-owner.ts";
import { verifyProgress } from "../../verify/progress.ts";

const options = {
  ...OWNER_OPTIONS,
  evidence: {
    type: "string",
    value: "TEXT",
    summary: "Proof that it is done: a command, a path or a URL",
    repeatable: true,
  },
  verify: { type: "boolean", summary: "Run the check of the task first, if it has not passed" },
  force: { type: "boolean", summary: "Complete it although its check has not passed" },
  ...TASK_CHANGE_OPTIONS,
} as const;

type DoneCall = Call<typeof options>;

export const done = defineCommand({
  arguments: [TASK],
  options,
  notes: [
    "A claimed task needs --as and --epoch; a task that is not claimed can be completed without them.",
    "A task with a check can only be completed after the check has passed on the present files of its owner: with `waymark verify --task TASK` before, or with --verify. --force is for people; the history records it, and agents cannot use it.",
  ],
  examples: [
    {
      command: 'waymark task done t2 --as ann --epoch 1 --evidence "npm test"',
      comment: "Complete a claimed task with evidence",
    },
    { command: "waymark task done t1 --as pat", comment: "Complete a task that is not claimed" },
    {
      command: "waymark task done t2 --as ann --epoch 1 --verify",
      comment: "Run its check, and complete it if the check passes",
    },
  ],
  seeAlso: ["task claim", "task fail"],
  run,
});

async function run(call: DoneCall): Promise<Exit> {
  const { values, terminal } = call;
  if (values.verify && values.force)
    throw new UsageError("--verify and --force cannot be combined.");
  if (values.force) requirePerson(call, "--force");
  const store = await call.home.tasks("writing", values.store);
  const op = await finishOp(call, (id) => store.get(id));
  const { answer, unproven } = await applyWithProofs(store, op, senderOf(call), (task) =>
    prove(call, task),
  );
  if (!answer.ok) {
    const { refused } = answer;
    for (const line of unproven?.output?.trimEnd().split("\n") ?? []) terminal.printError(line);
    const reason = unproven?.reason;
    if (reason === undefined) return refuseTask(call, refused);
    return refuseTask(call, { ...refused, message: `${refused.id} is not completed. ${reason}` });
  }
  const [task] = answer.tasks;
  reportDuplicate(terminal, answer);
  if (values.json) terminal.printJson(task);
  else if (task) terminal.printText(summaryOf(task));
  return EXIT.success;
}

async function finishOp(
  { args, values }: DoneCall,
  get: (id: string) => Awaitable<Task | undefined>,
): Promise<TaskOp> {
  const [id = ""] = args;
  const { as, epoch, evidence, force } = values;
  const more = { ...(evidence !== undefined && { evidence }), ...(force && { force: true }) };
  if (as !== undefined || epoch !== undefined) {
    const held = [{ id, ...(epoch !== undefined && { epoch: parseInteger("--epoch", epoch, 0) }) }];
    return { op: "finish", owner: requireOwner(values), held, ...more };
  }
  // A user may close the task of an agent, as on the page.
  const task = force ? await get(id) : undefined;
  return task
    ? { ...userOps.finish(task), ...more }
    : { op: "finish", owner: USER, held: [{ id }], ...more };
}

function senderOf({ values: { as, key, force } }: DoneCall): TaskSender {
  return {
    by: as === undefined || force ? "user" : "agent",
    via: "cli",
    ...(as !== undefined && { actor: as }),
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
  return `Completed ${id}${evidence.length > 0 ? "" : " without evidence"}`;
}
