import { statSync } from "node:fs";
import { listChecks, trustChecks } from "../../checks/checks.ts";
import { acceptProofs, readProofs } from "../../checks/proofs.ts";
import type { VerifyResult } from "../../checks/request.ts";
import { suggestCheck } from "../../checks/suggest-check.ts";
import { verify } from "../../checks/verify.ts";
import type { CheckForm, ChecksResponse } from "../../core/checks/wire.ts";
import { CommandError } from "../../core/error.ts";
import type { Todo } from "../../core/model.ts";
import { counted } from "../../core/text/count.ts";
import { formatDuration } from "../../core/text/duration.ts";
import type { BoardRow } from "../../core/views/board.ts";
import type { CheckRun } from "../../surfaces/terminal/state.ts";
import type { Call } from "../args/command.ts";

type ChecksCall = Pick<Call, "home" | "env">;

/** Runs and approves the checks of sessions for the board. One check runs at a time. */
export interface BoardChecks {
  /** Resolves with the result in one sentence. */
  verify(row: BoardRow, todo: Todo): Promise<string>;
  cancel(): void;
  accept(row: BoardRow, todo: Todo): Promise<string>;
  list(row: BoardRow): Promise<ChecksResponse>;
  /** Trusts the check as the user read it. */
  trust(row: BoardRow, check: CheckForm): Promise<string>;
  /** Cancels the running check and waits for its end. */
  stop(): Promise<void>;
}

export function openBoardChecks(
  { home, env }: ChecksCall,
  onRun: (run: CheckRun | undefined) => void,
): BoardChecks {
  const context = { home, env };
  let running: { readonly abort: AbortController; readonly ended: Promise<unknown> } | undefined;
  const run = async (row: BoardRow, todo: Todo, signal: AbortSignal): Promise<string> => {
    const startedAt = Date.now();
    const begun: CheckRun = { todo: todo.text, startedAt };
    onRun(begun);
    try {
      const { session, agent, activity = row.activity } = row.track;
      const edits = activity?.edits?.count ?? (activity ? 0 : undefined);
      const result = await verify(context, {
        cwd: directoryOf(row),
        id: { session, agent },
        todo,
        ...(edits !== undefined && { edits }),
        signal,
        onProgress(step) {
          if (step.step === "started") onRun({ ...begun, command: step.command });
        },
      });
      return resultText(result);
    } finally {
      onRun(undefined);
    }
  };
  return {
    async verify(row, todo) {
      if (running) return "A check is running. Press V to cancel it.";
      const abort = new AbortController();
      const ended = run(row, todo, abort.signal);
      running = { abort, ended };
      try {
        return await ended;
      } finally {
        running = undefined;
      }
    },
    cancel: () => running?.abort.abort(),
    async accept({ track }, todo) {
      const last = readProofs(home.path, track.session).findLast(
        ({ id, todo: proven }) => id.agent === track.agent && proven?.text === todo.text,
      );
      if (!last || last.warnings.length === 0) return "This run has no warnings to accept.";
      await acceptProofs(home, [last]);
      return `Accepted ${counted(last.warnings.length, "warning")}.`;
    },
    async list(row) {
      const { place, checks, problems } = await listChecks(context, directoryOf(row));
      const suggestion = suggestCheck(place.root);
      return {
        root: place.root,
        isRepository: place.repository !== undefined,
        checks,
        problems,
        ...(suggestion !== undefined && { suggestion }),
      };
    },
    async trust(row, { name, hash }) {
      const cwd = directoryOf(row);
      const { checks } = await listChecks(context, cwd);
      if (checks.find((check) => check.name === name)?.hash !== hash)
        throw new CommandError(`The check ${name} changed since you read it. Read it again.`);
      await trustChecks(context, cwd, [name]);
      return `Trusted ${name}.`;
    },
    async stop() {
      running?.abort.abort();
      await running?.ended.catch(() => undefined);
    },
  };
}

function directoryOf({ track: { cwd }, machine }: BoardRow): string {
  if (machine !== undefined)
    throw new CommandError(`This session runs on ${machine}. Verify it there.`);
  if (cwd === undefined) throw new CommandError("The directory of this session is not known.");
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandError(`The directory ${cwd} does not exist.`);
  return cwd;
}

function resultText({
  ok,
  check,
  command,
  durationMs,
  warnings,
  reason,
  refused,
}: VerifyResult): string {
  if (refused === "cancelled") return "Cancelled.";
  if (refused === "untrusted")
    return `The check ${check} is not trusted. Press C to read and trust it.`;
  const time = formatDuration(durationMs);
  if (!ok) return `Not proven: ${reason ?? `${command} failed.`} Press o for the output.`;
  return warnings.length === 0
    ? `Reproduced: ${command} passed in ${time}.`
    : `${command} passed in ${time}, with ${counted(warnings.length, "warning")}: the checks changed. Press o to read them.`;
}
