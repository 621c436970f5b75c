import { homedir } from "node:os";
import { withoutSecrets } from "../../checks/run/environment.ts";
import { runCommand } from "../../checks/run/run-command.ts";
import { SETTINGS } from "../../config/settings.ts";
import type { CommandResult, Stall } from "../../core/stalls/stall.ts";
import { isoTime } from "../../core/views/json.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { titleOf } from "../../core/views/title.ts";
import { currentOf } from "../../core/views/view.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import type { Task } from "../../tasks/model.ts";

/** Milliseconds after which the command is ended. */
export const COMMAND_LIMIT = 60_000;

/** Settings that may contain a password. */
const HIDDEN = SETTINGS.filter(({ secret }) => secret).map(({ variable }) => variable);

/** The JSON on the standard input of the command. */
export function stallForm(
  merged: MergedTrack,
  stall: Stall,
  { pid, tasks }: { readonly pid: number | undefined; readonly tasks: readonly Task[] },
) {
  const { track, findings, waiting } = merged;
  const { session, agent, agentType, cwd } = track;
  const { kind, message, since, inside } = stall;
  const finding = findings.find((each) => (each.kind === "stalled") === (kind === "stalled"));
  const todo = currentOf(track.todos);
  return {
    kind,
    message,
    since: isoTime(since),
    lastActiveAt: isoTime(merged.activity?.lastAt ?? since),
    count: finding?.count ?? 0,
    call: inside ?? null,
    session,
    agent,
    agentType: agentType ?? null,
    title: titleOf(merged),
    project: cwd?.split(/[/\\]/).findLast((part) => part !== "") ?? "",
    cwd: cwd ?? null,
    todo: todo ? { id: todo.id, text: todo.text } : null,
    tasks: tasks.map(({ id }) => id),
    pid: pid ?? null,
    ...(waiting && { waiting: { kind: waiting.kind, text: waiting.text } }),
  };
}

export type StallForm = ReturnType<typeof stallForm>;

export interface StallCommand {
  /** A line for the shell. */
  readonly line: string;
  readonly form: StallForm;
  readonly env: NodeJS.ProcessEnv;
  readonly limit: number;
  /** Ends the command early. */
  readonly signal: AbortSignal;
}

/** Lines of output that are recorded. */
const MAX_LINES = 5;
const MAX_LINE = 300;

/** Runs the user's command once, in the user's home directory. */
export async function runStallCommand({
  line,
  form,
  env,
  limit,
  signal,
}: StallCommand): Promise<CommandResult> {
  const timeout = AbortSignal.timeout(limit);
  try {
    const {
      exitCode,
      signal: by,
      output,
    } = await runCommand({
      command:
        process.platform === "win32"
          ? [env.ComSpec ?? "cmd.exe", "/d", "/s", "/c", line]
          : ["/bin/sh", "-c", line],
      cwd: homedir(),
      env: {
        ...withoutSecrets(env, HIDDEN),
        WAYMARK_STALLED_KIND: form.kind,
        WAYMARK_STALLED_SESSION: form.session,
        ...(form.pid !== null && { WAYMARK_STALLED_PID: String(form.pid) }),
      },
      input: `${JSON.stringify(form)}\n`,
      signal: AbortSignal.any([signal, timeout]),
    });
    const lines = output.split("\n").slice(-MAX_LINES);
    const tail = lines.map((each) => each.slice(0, MAX_LINE)).join("\n");
    return {
      ...(exitCode !== null && !timeout.aborted && { exitCode }),
      ...(by !== null && { signal: by }),
      ...(timeout.aborted && { timedOut: true as const }),
      ...(tail.trim() !== "" && { output: tail }),
    };
  } catch (error) {
    return { error: redactedMessage(error) };
  }
}
