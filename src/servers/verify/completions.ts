import { placeOf } from "../../checks/checks.ts";
import type { ChecksContext, VerifyResult } from "../../checks/request.ts";
import { verify } from "../../checks/verify.ts";
import type { Todo, TrackId } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";

/** Runs the check of a repository after todos are completed in it. */
export interface CompletionVerifier {
  /** Call with all tracks whenever something may have changed. */
  check(tracks: readonly MergedTrack[]): void;
  /** Ends the running check. */
  close(): Promise<void>;
}

export interface CompletionVerifierOptions {
  readonly context: ChecksContext;
  /** Todos completed before this time are left alone. */
  readonly since: number;
  onResult(result: VerifyResult, todos: readonly Todo[]): void;
  /** Called once for each problem of a repository. */
  onProblem(message: string): void;
}

/** Completed todos of one agent that wait for a run. */
interface Waiting {
  readonly cwd: string;
  readonly id: TrackId;
  readonly todos: Map<string, Todo>;
  edits: number | undefined;
}

/** Bounds the memory of completions that were handled; a forgotten one may be verified twice. */
const MAX_SEEN = 20_000;

/**
 * One run at a time for each repository. Completions that arrive during a run wait for the next one, which
 * takes the files as they are then.
 */
export function openCompletionVerifier(options: CompletionVerifierOptions): CompletionVerifier {
  const { context, since, onResult, onProblem } = options;
  const stop = new AbortController();
  const seen = new Set<string>();
  const reported = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const queues = new Map<string, Map<string, Waiting>>();
  const looking = new Set<Promise<void>>();

  const report = (place: string, message: string): void => {
    const key = `${place}\n${message}`;
    if (reported.has(key) || stop.signal.aborted) return;
    reported.add(key);
    onProblem(message);
  };

  const runOne = async (place: string, { cwd, id, edits, todos: all }: Waiting): Promise<void> => {
    const todos = [...all.values()];
    try {
      const result = await verify(context, {
        cwd,
        id,
        todos,
        ...(edits !== undefined && { edits }),
        signal: stop.signal,
      });
      if (result.refused === "untrusted") report(place, result.reason ?? "It is not trusted.");
      else if (result.refused === undefined) onResult(result, todos);
    } catch (error) {
      report(place, redactedMessage(error));
    }
  };
  const runAll = async (place: string, queue: Map<string, Waiting>): Promise<void> => {
    const all = [...queue.values()];
    queue.clear();
    // Agents that share their files share one run.
    await Promise.all(all.map((waiting) => runOne(place, waiting)));
    running.delete(place);
    if (queue.size > 0 && !stop.signal.aborted) start(place, queue);
  };
  const start = (place: string, queue: Map<string, Waiting>): void => {
    if (!running.has(place)) running.set(place, runAll(place, queue));
  };

  const add = async ({ track, activity }: MergedTrack, todos: readonly Todo[]): Promise<void> => {
    const { cwd = "", session, agent } = track;
    try {
      const { key: place, root } = await placeOf(cwd);
      const queue = queues.get(place) ?? new Map<string, Waiting>();
      queues.set(place, queue);
      const key = `${root}\n${trackKey(track)}`;
      const waiting = queue.get(key) ?? {
        cwd,
        id: { session, agent },
        todos: new Map<string, Todo>(),
        edits: undefined,
      };
      for (const todo of todos) waiting.todos.set(todo.id, todo);
      waiting.edits = (track.activity ?? activity)?.edits?.count;
      queue.set(key, waiting);
      start(place, queue);
    } catch (error) {
      report(cwd, `Cannot run checks in ${cwd}: ${redactedMessage(error)}`);
    }
  };

  return {
    check(tracks) {
      if (stop.signal.aborted) return;
      for (const merged of tracks) {
        const { track, machine } = merged;
        // Files of other machines cannot be checked here.
        if (machine !== undefined || track.cwd === undefined) continue;
        const fresh = track.todos.filter((todo) => isNew(track, todo));
        if (fresh.length === 0) continue;
        const adding = add(merged, fresh).finally(() => looking.delete(adding));
        looking.add(adding);
      }
    },
    async close() {
      stop.abort();
      await Promise.all([...looking, ...running.values()]);
    },
  };

  /** Whether the todo was completed just now. A reopened todo that is completed again counts as new. */
  function isNew(id: TrackId, { text, status, finishedAt = 0 }: Todo): boolean {
    // Sources may give the same todo different ids and times.
    const key = `${trackKey(id)}\n${text}`;
    if (status !== "completed") seen.delete(key);
    if (status !== "completed" || finishedAt < since || seen.has(key)) return false;
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.add(key);
    return true;
  }
}
