import { emptyTrack, evolve, foldEvents } from "../../../src/core/evolve.ts";
import type { Track } from "../../../src/core/model.ts";
import { trackKey } from "../../../src/core/text/ids.ts";
import { same } from "../../../src/core/values.ts";
import type { Task } from "../../../src/tasks/model.ts";
import { applyEvent } from "../../../src/tasks/rules/fold.ts";
import { taskAt } from "../../../src/tasks/rules/task-at.ts";
import { allDatabases, type Database, storeTime } from "../stores/database.ts";
import { Violation } from "../world.ts";

/** The events of each list and task, folded one by one, give its state; numbers and keys are unique. */
export function checkHistories(): { check(): void; checkQuiet(): void } {
  const followed = new Map<Database, () => void>();
  return {
    check() {
      for (const database of allDatabases()) {
        if (!followed.has(database)) followed.set(database, followDatabase(database));
        followed.get(database)?.();
      }
    },
    checkQuiet() {
      for (const { lists } of allDatabases())
        for (const track of lists.tracks())
          if (!same(foldEvents(track, lists.events(track)), track))
            throw new Violation(`The history of ${track.session} does not fold to its state.`);
    },
  };
}

function followDatabase({ lists, tasks, listLog, taskLog }: Database): () => void {
  const tracks = new Map<string, Track>();
  const keys = new Set<string>();
  const folded = new Map<string, Task>();
  let nextList = 0;
  let nextTask = 0;
  return () => {
    const changed = new Set<string>();
    for (; nextList < listLog.length; nextList++) {
      const { track: id, event } = listLog[nextList] as (typeof listLog)[number];
      const name = trackKey(id);
      const before = tracks.get(name) ?? emptyTrack(id);
      if (event.seq !== before.version + 1)
        throw new Violation(`Event ${event.seq} of ${id.session} follows event ${before.version}.`);
      const key = `${name} ${event.key}`;
      if (keys.has(key)) throw new Violation(`The key ${event.key} had two effects.`);
      keys.add(key);
      tracks.set(name, evolve(before, event));
      changed.add(name);
    }
    for (const name of changed) {
      const track = tracks.get(name);
      if (track && !same(track, lists.read(track)))
        throw new Violation(`The events of ${track.session} do not fold to its state.`);
    }
    for (; nextTask < taskLog.length; nextTask++) {
      const event = taskLog[nextTask] as (typeof taskLog)[number];
      const task = applyEvent(folded.get(event.task), event);
      folded.set(event.task, task);
      const isLast = nextTask === taskLog.length - 1;
      if (isLast && !same(taskAt(task, storeTime()), tasks.get(task.id)))
        throw new Violation(`The events of ${event.task} do not fold to its state.`);
    }
  };
}
