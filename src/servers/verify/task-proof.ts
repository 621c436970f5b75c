/**
 * servers/verify: runs checks that no user asked for one by one: to finish a task (`task-proof`), and after todos
 * are completed (`completions`). The check at a stop of an agent is in `hooks/stop-check`.
 */
import { statSync } from "node:fs";
import { listChecks, mayRun, placeOf } from "../../checks/checks.ts";
import { readProofs } from "../../checks/proofs.ts";
import type {
  ChecksContext,
  VerifyRequest,
  VerifyResult,
  VerifyStep,
} from "../../checks/request.ts";
import { verify } from "../../checks/verify.ts";
import type { Proof } from "../../core/checks/proof.ts";
import { CommandError, UsageError } from "../../core/error.ts";
import { type ModelText, modelText, quote } from "../../core/text/model-text.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { treeOf } from "../../git/snapshot.ts";
import { ownerOf } from "../../sessions/caller/session.ts";
import type { PassedCheck, Task } from "../../tasks/model.ts";
import type { ProveTask, TaskProving } from "../../tasks/prove.ts";
import type { Tasks } from "../mcp/task-agents.ts";

/**
 * A stored run of a check that passed on the present files of a directory. Outside of git there is none: nothing
 * shows whether files changed since.
 */
export async function findPassedCheck(
  context: ChecksContext,
  cwd: string,
  name: string,
): Promise<PassedCheck | undefined> {
  const { checks } = await listChecks(context, cwd);
  const check = checks.find((each) => each.name === name);
  if (!check || !mayRun(check)) return undefined;
  const tree = await treeOf(cwd);
  if (tree === "") return undefined;
  const found = readProofs(context.home.path).findLast(
    (each) =>
      each.ok && each.check === name && each.command === check.command && each.tree === tree,
  );
  return found && passedCheck(found);
}

function passedCheck({ check, tree, at, machine }: Proof): PassedCheck {
  return { check, tree, exitCode: 0, at, machine };
}

/** Runs the check of a task in a directory, unless it has passed on the present files already. */
export async function proveTask(
  context: ChecksContext,
  { id, check = "" }: Pick<Task, "id" | "check">,
  request: Pick<VerifyRequest, "cwd" | "signal" | "onProgress">,
): Promise<TaskProving> {
  try {
    const known = await findPassedCheck(context, request.cwd, check);
    if (known) return { ok: true, proof: known };
    const result = await verify(context, { ...request, task: id, check });
    const proof = result.proofs.at(-1);
    return result.ok && proof ? { ok: true, proof: passedCheck(proof) } : failed(result);
  } catch (error) {
    // An unknown check, for example: the task stays as it is.
    if (error instanceof CommandError || error instanceof UsageError)
      return { ok: false, reason: error.message };
    throw error;
  }
}

/**
 * Finds stored proofs of tasks on the present files of their owners, for a user who finishes them on the board or
 * the page. Tasks of unknown owners have none.
 */
export function storedProofs(
  context: ChecksContext,
  tracks: () => readonly Pick<MergedTrack, "track" | "machine">[],
): ProveTask {
  return async ({ owner, check = "" }) => {
    const found = tracks().find(
      ({ track, machine }) => machine === undefined && ownerOf(track) === owner,
    );
    const { cwd } = found?.track ?? {};
    const proof =
      cwd !== undefined && isDirectory(cwd)
        ? await findPassedCheck(context, cwd, check)
        : undefined;
    return proof ? { ok: true, proof } : { ok: false };
  };
}

/** Runs the checks of tasks that a client of an MCP server finishes. */
export function proveForClients(context: ChecksContext): NonNullable<Tasks["prove"]> {
  return async (task, { cwd, signal, onProgress }) => {
    if (cwd === undefined) {
      const reason = `The directory of this session is not known. Run \`waymark task done ${task.id} --verify\` in it.`;
      return { ok: false, reason };
    }
    return proveTask(context, task, {
      cwd,
      signal,
      onProgress(step) {
        const message = progressText(step);
        if (message !== undefined) onProgress(message);
      },
    });
  };
}

/** A step of a run, for a client that shows progress. */
export function progressText(step: VerifyStep): ModelText | undefined {
  if (step.step === "started") return modelText`Running the check ${quote(step.check, 60)}`;
  return step.step === "output" ? modelText`The check is running` : undefined;
}

function failed({ reason = "The check failed.", output }: VerifyResult): TaskProving {
  return { ok: false, reason, output };
}

/**
 * The directory whose files a task is proven on: that of its owner, or the directory of the caller if both are in
 * one repository. An agent may work in a linked working tree.
 */
export async function taskDirectory(cwd: string, owner: string | undefined): Promise<string> {
  if (owner === undefined || owner === cwd || !isDirectory(owner)) return cwd;
  const [here, there] = await Promise.all([placeOf(cwd), placeOf(owner)]);
  return here.key === there.key ? cwd : owner;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
