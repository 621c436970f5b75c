import type { TaskAnswer, TaskOp, TaskSender } from "../../../src/tasks/model.ts";
import { isFault, machineHome, type ProgramHome } from "../home.ts";
import type { Machine } from "../scheduler.ts";
import { type Actor, Violation, type World } from "../world.ts";

/** A claim that a worker received. */
interface Claim {
  readonly id: string;
  readonly epoch: number;
}

interface Call {
  readonly op: TaskOp;
  readonly sender: TaskSender & { readonly key: string };
}

const LEASES = [1_000, 5_000, 30_000];

/**
 * Workers that claim tasks, renew, finish, fail or release them, stall beyond their lease, and write after they lost a
 * task. A call whose answer was lost is repeated with the same key, also by the next process of the worker.
 */
export function taskWorkers(
  world: World,
  machine: Machine,
): Actor & { readonly calls: ReadonlyMap<string, Call> } {
  const { random } = world;
  const sent = new Map<string, Call>();
  const answers = new Map<string, { readonly call: Call; readonly answer: TaskAnswer }>();
  const workers = Array.from({ length: 4 }, (_, index) => createWorker(`worker-${index}`));
  let subjects = 0;

  function createWorker(name: string) {
    let program: ProgramHome | undefined;
    let pending: Call | undefined;
    let isBusy = false;
    let calls = 0;
    let claims: readonly Claim[] = [];
    const next = (): TaskOp => {
      const claim = claims.length > 0 ? random.pick(claims) : undefined;
      const held = claim ? [claim] : [];
      const choices: readonly TaskOp[] = [
        { op: "add", tasks: [{ subject: `task ${subjects++}`, priority: 2 }] },
        { op: "claim", owner: name, lease: random.pick(LEASES), count: random.between(1, 2) },
        { op: "claim", owner: name, lease: random.pick(LEASES), id: `t${random.between(1, 6)}` },
        {
          op: "edit",
          id: `t${random.between(1, 6)}`,
          set: { addBlockedBy: [`t${random.between(1, 6)}`] },
        },
        { op: "cancel", id: `t${random.between(1, 6)}` },
        { op: "reopen", id: `t${random.between(1, 6)}` },
        {
          op: "assign",
          id: `t${random.between(1, 6)}`,
          owner: random.pick(["worker-0", "worker-1"]),
        },
      ];
      if (!claim || random.chance(0.4))
        return random.pick(random.chance(0.7) ? choices.slice(0, 3) : choices);
      return random.pick<TaskOp>([
        { op: "renew", owner: name, held },
        { op: "release", owner: name, held },
        { op: "finish", owner: name, held, evidence: ["npm test"] },
        { op: "finish", owner: name, held: claims.slice(0, 3) },
        { op: "fail", owner: name, held, reason: "broken", retryIn: random.pick([0, 2_000]) },
      ]);
    };
    const isByUser = ({ op }: TaskOp): boolean => ["cancel", "assign", "reopen"].includes(op);
    const call = (): void => {
      if (!program?.process.isAlive) {
        program = machineHome(machine).start(world, name);
        isBusy = false;
      }
      const { process, home } = program;
      if (isBusy) {
        if (random.chance(0.3)) world.endanger(process);
        return;
      }
      let request = pending;
      if (!request) {
        const op = next();
        const by = isByUser(op) ? "user" : "agent";
        request = { op, sender: { by, via: "simulation", actor: name, key: `${name}-${calls++}` } };
        sent.set(request.sender.key, request);
      }
      const { op, sender } = request;
      pending = request;
      isBusy = true;
      world.program(process, `${op.op} ${sender.key}`, async () => {
        try {
          const answer = await (await home.tasks("writing")).apply(op, sender);
          if (!process.isAlive) return;
          answers.set(sender.key, { call: { op, sender }, answer });
          pending = undefined;
          if (op.op === "claim" && answer.ok)
            claims = [...claims, ...answer.tasks.map(({ id, epoch }) => ({ id, epoch }))].slice(-4);
        } catch (error) {
          if (!isFault(error)) throw error;
        } finally {
          isBusy = false;
        }
      });
    };
    return {
      call,
      settle(): void {
        if (pending) call();
      },
      isSettled: () => pending === undefined,
    };
  }

  return {
    name: "task workers",
    weight: 4,
    calls: sent,
    act: () => random.pick(workers).call(),
    settle() {
      for (const worker of workers) worker.settle();
    },
    checkQuiet() {
      if (!workers.every((worker) => worker.isSettled()))
        throw new Violation("A call about tasks was never answered without faults.");
      const owners = new Map<string, string>();
      for (const { call, answer } of answers.values()) {
        if (call.op.op !== "claim" || !answer.ok) continue;
        for (const { id, epoch } of answer.tasks) {
          const name = `${id} epoch ${epoch}`;
          const former = owners.get(name) ?? call.op.owner;
          if (former !== call.op.owner)
            throw new Violation(
              `${former} and ${call.op.owner} were both told that they own ${name}.`,
            );
          owners.set(name, call.op.owner);
        }
      }
    },
  };
}
