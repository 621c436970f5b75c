import { emptyTrack, foldEvents } from "../../../src/core/evolve.ts";
import type { Event, Todo } from "../../../src/core/model.ts";
import { loadOrCreateMachineId } from "../../../src/home/machine-id.ts";
import { openRelaying, type Relaying } from "../../../src/sessions/remote/relaying.ts";
import { difference } from "../checks/difference.ts";
import { end } from "../context.ts";
import { isFault, machineHome, type ProgramHome, terminalOf } from "../home.ts";
import { serverContent } from "../platform/pg.ts";
import type { Machine } from "../scheduler.ts";
import { databaseAt } from "../stores/database.ts";
import { type Actor, Violation, type World } from "../world.ts";
import type { AgentSession } from "./agents.ts";

export const SERVER = "postgres://server/waymark";

interface Relay {
  readonly program: ProgramHome;
  relaying?: Relaying;
}

/** Relays of one machine, of which one at a time may send. They are killed, and their connections break. */
export function relays(world: World, machine: Machine, sessions: readonly AgentSession[]): Actor {
  const { random } = world;
  const { lists } = databaseAt(machineHome(machine).store);
  const slots = Array<Relay | undefined>(random.between(1, 2)).fill(undefined);

  function start(): Relay {
    const program = machineHome(machine).start(world, "relay");
    const { process, home, env } = program;
    const relay: Relay = { program };
    world.program(process, "opens the relay", async () => {
      try {
        relay.relaying = await openRelaying(
          { home, env, terminal: terminalOf(world, process) },
          {
            store: SERVER,
            machine: { id: loadOrCreateMachineId(home.path), name: machine.name },
            once: false,
            onConnected: () => world.note("the relay is connected"),
            onSent: ({ tracks, events }) => world.note(`sent ${tracks} tracks, ${events} events`),
            onWaiting: (reason) => world.note(`the relay waits: ${reason}`),
          },
        );
        await relay.relaying.ended;
        await home.close();
      } catch (error) {
        if (!isFault(error)) throw error;
      }
      end(process);
    });
    return relay;
  }

  return {
    name: "relays",
    weight: 1,
    act() {
      const index = random.below(slots.length);
      const relay = slots[index];
      if (!relay?.program.process.isAlive) slots[index] = start();
      else
        random.pick([
          () => world.endanger(relay.program.process),
          () =>
            world.program(relay.program.process, "is stopped", async () => relay.relaying?.end()),
          () => undefined,
        ])();
    },
    settle() {
      if (!slots[0]?.program.process.isAlive) slots[0] = start();
    },
    checkQuiet() {
      const { relayed, events } = serverContent();
      const rows = [...relayed.values()];
      for (const track of lists.tracks())
        if (!rows.some(({ session }) => session === track.session))
          throw new Violation(`${track.session} was not relayed.`);
      for (const { id, session, agent, state } of rows) {
        const { track } = JSON.parse(state).live;
        const own = lists.tracks().find((each) => each.session === session);
        if (own && own.todos.length > 0)
          assertSame(track.todos, own.todos, `The list of ${session}`);
        // A rewritten transcript may have another history of the same length.
        if (sessions.some((each) => each.id === session && each.rewrites > 0)) continue;
        const history = events
          .filter((each) => each.track === id)
          .sort((a, b) => a.place - b.place)
          .map(({ body }): Event => JSON.parse(body));
        const isGapless = history.every(({ seq }, index) => seq === index + 1);
        if (!isGapless) throw new Violation(`The relayed history of ${session} has gaps.`);
        const { todos } = foldEvents(emptyTrack({ session, agent }), history);
        assertSame(todos, track.todos, `The relayed history of ${session}`);
      }
    },
  };
}

function assertSame(relayed: readonly Todo[], own: readonly Todo[], what: string): void {
  const text = ({ status, text }: Todo) => `${status} ${text}`;
  const found = difference(relayed.map(text), own.map(text));
  if (found !== undefined) throw new Violation(`${what} is not what was relayed: ${found}.`);
}
