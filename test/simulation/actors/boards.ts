import type { Todo } from "../../../src/core/model.ts";
import { trackKey } from "../../../src/core/text/ids.ts";
import type { FeedChange } from "../../../src/core/views/changes.ts";
import { applyFeedChange } from "../../../src/core/views/changes.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";
import { type Feed, openFeed, withoutFiles } from "../../../src/sessions/feed.ts";
import { difference } from "../checks/difference.ts";
import { end } from "../context.ts";
import { isFault, machineHome, type ProgramHome, terminalOf } from "../home.ts";
import { existsSync } from "../platform/fs.ts";
import { serverContent } from "../platform/pg.ts";
import type { Machine } from "../scheduler.ts";
import { databaseAt } from "../stores/database.ts";
import { type Actor, Violation, type World } from "../world.ts";
import type { AgentSession } from "./agents.ts";
import { listsIn } from "./transcript.ts";

/** A board, with the tracks that its subscription to the feed leads to. */
interface Board {
  readonly program: ProgramHome;
  feed?: Feed;
  known: ReadonlyMap<string, MergedTrack>;
  isReady: boolean;
}

/** Boards and servers: each follows all sessions and applies the changes that its feed publishes. */
export function boards(
  world: World,
  machine: Machine,
  { sessions, store }: { readonly sessions: readonly AgentSession[]; readonly store?: string },
): Actor {
  const { random } = world;
  const { lists } = databaseAt(machineHome(machine).store);
  const slots = Array<Board | undefined>(random.between(1, 2)).fill(undefined);

  function start(): Board {
    const program = machineHome(machine).start(world, "board");
    const { process, home, env } = program;
    const board: Board = { program, known: new Map(), isReady: false };
    const apply = (change: FeedChange): void => {
      if (change.type === "event") {
        const known = board.known.get(trackKey(change.id));
        if (known?.track.version !== change.event.seq - 1)
          throw new Violation(
            `The feed sent event ${change.event.seq} of ${change.id.session} after event ${known?.track.version}.`,
          );
      }
      board.known = applyFeedChange(board.known, change);
    };
    world.program(process, "opens the feed", async () => {
      const terminal = terminalOf(world, process);
      const feed = await openFeed({ home, env, terminal }, { store: store ?? false }).catch(
        (error: unknown) => {
          if (!isFault(error)) throw error;
          return end(process);
        },
      );
      if (!feed) return;
      board.feed = feed;
      for (const track of feed.tracks()) apply({ type: "opened", track: withoutFiles(track) });
      feed.subscribe(apply);
      await feed.ready;
      board.isReady = true;
    });
    return board;
  }

  function close({ program: { process, home }, feed }: Board): void {
    world.program(process, "closes the feed", async () => {
      feed?.stop();
      await home.close();
      end(process);
    });
  }

  /** The lists of transcripts, read without any state of ours. */
  function checkTranscripts(feed: Feed): void {
    for (const { id, transcript } of sessions) {
      const found = feed.tracks().find(({ track, external }) => external && track.session === id);
      const written = existsSync(transcript) ? listsIn(transcript).at(-1) : undefined;
      const expected = (written ?? []).map(({ content, status }) => `${status} ${content}`);
      assertSame(
        textsOf(found?.external?.live.track.todos),
        expected,
        `The list in the transcript of ${id}`,
      );
    }
  }

  const assertSame = (shown: unknown, expected: unknown, what: string): void => {
    const found = difference(shown, expected);
    if (found !== undefined) throw new Violation(`${what} is not what the board shows: ${found}.`);
  };

  /** The lists that other machines relayed. */
  function checkRelayed(feed: Feed): void {
    for (const { session, state } of serverContent().relayed.values()) {
      const { todos } = JSON.parse(state).live.track;
      const shown = feed.tracks().find(({ relayed }) => relayed?.live.session === session);
      assertSame(textsOf(shown?.track.todos), textsOf(todos), `The relayed list of ${session}`);
    }
  }

  return {
    name: "boards",
    weight: 1,
    act() {
      const index = random.below(slots.length);
      const board = slots[index];
      if (!board?.program.process.isAlive) {
        slots[index] = start();
        return;
      }
      random.pick([
        () => world.endanger(board.program.process),
        () => board.isReady && close(board),
        () =>
          world.program(board.program.process, "is refreshed", async () => board.feed?.refresh()),
        () => undefined,
      ])();
    },
    settle() {
      if (!slots[0]?.program.process.isAlive) slots[0] = start();
    },
    checkQuiet() {
      for (const board of slots) {
        if (!board?.program.process.isAlive) continue;
        const { feed, known } = board;
        if (!feed || !board.isReady) throw new Violation("A board without faults is not ready.");
        const shown = new Map(
          feed.tracks().map((each) => [trackKey(each.track), withoutFiles(each)]),
        );
        for (const key of new Set([...known.keys(), ...shown.keys()]))
          assertSame(known.get(key)?.track, shown.get(key)?.track, `The published track ${key}`);
        for (const track of lists.tracks()) {
          const { hosted } =
            feed.tracks().find((each) => trackKey(each.track) === trackKey(track)) ?? {};
          if (hosted !== false)
            assertSame(
              textsOf(shown.get(trackKey(track))?.track.todos),
              textsOf(track.todos),
              `The list of ${track.session}`,
            );
        }
        checkTranscripts(feed);
        if (store !== undefined) checkRelayed(feed);
      }
    },
  };
}

function textsOf(todos: readonly Todo[] = []): readonly string[] {
  return todos.map(({ status, text }) => `${status} ${text}`);
}
