import { addCheck, listChecks, mayRun } from "../../checks/checks.ts";
import { DEFAULT_LINKS, DEFAULT_TIMEOUT } from "../../checks/definition.ts";
import { untrustedText } from "../../checks/reason.ts";
import type { VerifyResult } from "../../checks/request.ts";
import { chooseCheck, verify } from "../../checks/verify.ts";
import { CommandError } from "../../core/error.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { counted } from "../../core/text/count.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { requireCurrentDirectory } from "../../home/current-directory.ts";
import type { Call } from "../args/command.ts";
import { requirePerson } from "../options/person.ts";

type VerifyCall = Pick<Call, "terminal" | "home" | "env">;

interface Wanted {
  /** Name of the check; empty for the default one. */
  readonly verify?: string;
  /** A command to approve as check. */
  readonly check?: string;
}

/**
 * The name of the check that --verify and --check ask for. Fails before anything runs if it is unknown or not trusted; a
 * command that the user typed is approved by that.
 */
export async function checkToRun(call: VerifyCall, wanted: Wanted): Promise<string> {
  const cwd = requireCurrentDirectory();
  const name = wanted.verify || undefined;
  if (wanted.check !== undefined) {
    requirePerson(call, "--check");
    const definition = { command: wanted.check, timeoutMs: DEFAULT_TIMEOUT, links: DEFAULT_LINKS };
    return (await addCheck(call, cwd, { ...definition, name })).name;
  }
  const check = chooseCheck(await listChecks(call, cwd), name);
  if (mayRun(check)) return check.name;
  throw new CommandError(untrustedText(check));
}

/** Runs the check for the completed todos of a stream and logs the result; undefined if there are none. */
export async function verifyCompleted(
  call: VerifyCall,
  check: string,
  lives: readonly LiveTrack[],
  signal: AbortSignal,
): Promise<VerifyResult | undefined> {
  const { terminal } = call;
  const cwd = requireCurrentDirectory();
  const finished = lives.flatMap(({ session, agent, track, activity }) => {
    const todos = track.todos.filter(({ status }) => status === "completed");
    const edits = activity.edits?.count;
    return todos.length === 0 ? [] : [{ id: { session, agent }, todos, edits }];
  });
  const count = finished.flatMap(({ todos }) => todos).length;
  if (count === 0) {
    terminal.printError("waymark: No todo is completed, so there is nothing to verify.");
    return undefined;
  }
  // Requests for the same files share one run.
  const results = await Promise.all(
    finished.map(({ id, todos, edits }) =>
      verify(call, { cwd, check, id, todos, ...(edits !== undefined && { edits }), signal }),
    ),
  );
  const [first] = results;
  const result = results.find(({ ok }) => !ok) ?? first;
  if (!result) return undefined;
  if (!result.ok) for (const line of result.output.trimEnd().split("\n")) terminal.printError(line);
  terminal.printError(`waymark: ${summaryOf(result, count)}`);
  return { ...result, proofs: results.flatMap(({ proofs }) => proofs) };
}

function summaryOf(
  { ok, check, durationMs, tree, reason = "The check failed.", warnings }: VerifyResult,
  count: number,
): string {
  if (!ok)
    return `${reason} ${counted(count, "completed todo is", "completed todos are")} not proven by ${check}.`;
  const where = tree === "" ? "" : ` on tree ${tree.slice(0, 12)}`;
  const signs =
    warnings.length > 0 ? ` ${counted(warnings.length, "sign", "signs")} of weaker checks.` : "";
  return `Check ${check} passed${where} in ${formatDuration(durationMs)}: ${counted(count, "completed todo is", "completed todos are")} reproduced.${signs}`;
}
