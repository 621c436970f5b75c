import type { Op, Outcome, Status, TrackId } from "../../../src/core/model.ts";
import { STATUSES } from "../../../src/core/model.ts";
import { trackKey } from "../../../src/core/text/ids.ts";
import { isFault, machineHome, type ProgramHome } from "../home.ts";
import type { Machine } from "../scheduler.ts";
import { databaseAt } from "../stores/database.ts";
import { type Actor, Violation, type World } from "../world.ts";

/** One call of a tool or of the user. A call whose answer was lost is repeated with the same key. */
interface Call {
  readonly id: TrackId;
  readonly key: string;
  readonly by: "agent" | "user";
  readonly ops: readonly Op[];
}

/** Programs that write lists: MCP servers of agents and commands of the user. */
export function listWriters(world: World, machine: Machine): Actor {
  const { random } = world;
  const { lists, listLog } = databaseAt(machineHome(machine).store);
  const tracks: readonly TrackId[] = ["alpha", "beta"].map((session) => ({
    session,
    agent: "main",
  }));
  const writers = Array.from({ length: 3 }, (_, index) => createWriter(`writer-${index}`));
  /** The answers that callers received, by track and key. */
  const acknowledged = new Map<string, Outcome>();
  let texts = 0;

  function createWriter(name: string) {
    let program: ProgramHome | undefined;
    let pending: Call | undefined;
    let isBusy = false;
    let calls = 0;
    const newCall = (): Call => {
      const id = random.pick(tracks);
      const by = random.chance(0.3) ? "user" : "agent";
      return { id, by, key: `${name}-${calls++}`, ops: opsFor(id, by) };
    };
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
      const request = pending ?? newCall();
      pending = request;
      isBusy = true;
      world.program(process, `${request.by} writes ${request.key}`, async () => {
        try {
          const list = (await home.writing()).list(request.id);
          const { by, key } = request;
          const outcome = await list.submit(request.ops, { by, key, via: name });
          if (!process.isAlive) return;
          acknowledged.set(`${trackKey(request.id)} ${key}`, outcome);
          pending = undefined;
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

  /** Ops on the list as it is now; by the time they arrive, it may be another one. */
  function opsFor(id: TrackId, by: "agent" | "user"): readonly Op[] {
    const { todos } = lists.read(id);
    const status = (): Status => random.pick(STATUSES);
    const fresh = () => ({ text: `todo ${texts++}`, status: "pending" as const });
    const target = { any: todos.length > 0 ? random.pick(todos).id : "1" };
    const single: readonly Op[] = [
      { op: "add", todos: [fresh()] },
      { op: "start", target },
      { op: "finish", target },
      { op: "reopen", target },
      { op: "note", target, text: `note ${texts++}` },
      { op: "edit", target, set: { text: `edited ${texts++}` } },
      { op: "remove", target },
    ];
    if (by === "user") return [random.pick(single)];
    if (random.chance(0.4)) return [random.pick(single.slice(0, 5))];
    const kept = todos
      .filter(() => random.chance(0.8))
      .map(({ text }) => ({ text, status: status() }));
    const isActive = ({ status: each }: { status: Status }) => each === "in_progress";
    const first = kept.find(isActive);
    const drafts = kept.map((each) =>
      isActive(each) && each !== first ? { ...each, status: "pending" as const } : each,
    );
    return [
      { op: "replace", todos: [...drafts, ...(random.chance(0.7) ? [fresh()] : [])].slice(0, 15) },
    ];
  }

  let checked = 0;
  return {
    name: "list writers",
    weight: 3,
    act: () => random.pick(writers).call(),
    check() {
      for (; checked < listLog.length; checked++) {
        const { event, track: id } = listLog[checked] as (typeof listLog)[number];
        if (event.by !== "agent") continue;
        const removed = event.changes.flatMap((change) =>
          change.type === "todo.removed" ? [change.id] : [],
        );
        if (removed.length === 0) continue;
        const earlier = lists.events(id).filter(({ seq, by }) => seq < event.seq && by === "user");
        for (const { type, ...change } of earlier.flatMap(({ changes }) => changes))
          if (type === "todo.added" && "todo" in change && removed.includes(change.todo.id))
            throw new Violation(
              `An agent dropped todo ${change.todo.id} of ${id.session}, which the user added, with ${event.key}.`,
            );
      }
    },
    settle() {
      for (const writer of writers) writer.settle();
    },
    checkQuiet() {
      if (!writers.every((writer) => writer.isSettled()))
        throw new Violation("A write without faults was never answered.");
      for (const [name, outcome] of acknowledged) {
        if (!outcome.event) continue;
        const { session, agent } = outcome.after;
        const stored = lists
          .events({ session, agent })
          .filter(({ key }) => key === outcome.event?.key);
        if (stored.length !== 1)
          throw new Violation(`${name} was acknowledged and is stored ${stored.length} times.`);
      }
    },
  };
}
