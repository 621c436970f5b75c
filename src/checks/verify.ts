import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { ProofRecord } from "../core/checks/proof.ts";
import { detectTampering, type TamperWarning } from "../core/checks/tamper.ts";
import { UsageError } from "../core/error.ts";
import { EVIDENCE_LEVELS, type EvidenceLevel, evidenceLevelOf } from "../core/views/evidence.ts";
import { checkout } from "../git/checkout.ts";
import { changesSince } from "../git/diff.ts";
import { commitBefore } from "../git/log.ts";
import { type Snapshot, takeSnapshot } from "../git/snapshot.ts";
import { machineName } from "../home/machine-id.ts";
import { type CheckList, type KnownCheck, listChecks, mayRun, unknownCheck } from "./checks.ts";
import { takeLock } from "./file-lock.ts";
import { NO_SESSION, recordProofs } from "./proofs.ts";
import { failureText, untrustedText } from "./reason.ts";
import type { ChecksContext, TodoToProve, VerifyRequest, VerifyResult } from "./request.ts";
import { linkDependencies } from "./run/links.ts";
import { pythonPath } from "./run/python-path.ts";
import { type RunResult, runCheck } from "./run/run-check.ts";
import { createRunDirectory, type RunDirectory, removeAbandonedRuns } from "./run/run-directory.ts";
import { shareRun } from "./run/shared-runs.ts";
import { lockFile, readLastRun, writeLastRun } from "./store.ts";
import { suggestCheck } from "./suggest-check.ts";

/**
 * Runs an approved check on a clean checkout of the working tree, or in place outside of git, and records the result as
 * proof of the todos and the task. One run at a time for each repository and check: a request for the same files shares
 * the result. The working tree is only read.
 *
 * @throws UsageError if the check is not named unambiguously, WaymarkError if it could not be run
 */
export async function verify(
  context: ChecksContext,
  request: VerifyRequest,
): Promise<VerifyResult> {
  const { signal } = request;
  const list = await listChecks(context, request.cwd);
  const check = chooseCheck(list, request.check);
  if (!mayRun(check))
    return { ...notRun(check, request), reason: untrustedText(check), refused: "untrusted" };
  try {
    signal?.throwIfAborted();
    await removeAbandonedRuns(context.home.path);
    return await prove(context, request, list, check);
  } catch (error) {
    if (!signal?.aborted) throw error;
    return { ...notRun(check, request), reason: "The check was cancelled.", refused: "cancelled" };
  }
}

/** The check with a name; without one, the only check or the one named `test`. */
export function chooseCheck({ checks, place }: CheckList, name: string | undefined): KnownCheck {
  const [first] = checks;
  if (!first) {
    const command = suggestCheck(place.root) ?? "COMMAND";
    throw new UsageError(
      `No check is defined for ${place.root}. Add one with \`waymark check add ${JSON.stringify(command)} --name test\`.`,
    );
  }
  if (name !== undefined) {
    const named = checks.find((check) => check.name === name);
    if (!named) throw unknownCheck(name, checks);
    return named;
  }
  const found = checks.length === 1 ? first : checks.find((check) => check.name === "test");
  if (found) return found;
  const names = checks.map((check) => check.name).join(", ");
  throw new UsageError(`There are ${checks.length} checks: ${names}. Choose one with --check.`);
}

function todosOf({ todo, todos = [] }: VerifyRequest): readonly TodoToProve[] {
  return todo ? [todo, ...todos] : todos;
}

function notRun({ name, command }: KnownCheck, request: VerifyRequest): VerifyResult {
  return {
    ok: false,
    check: name,
    command,
    exitCode: null,
    durationMs: 0,
    tree: "",
    level: weakest(todosOf(request).map((todo) => evidenceLevelOf(todo))),
    warnings: [],
    output: "",
    proofs: [],
  };
}

/** The weakest of some levels; `unverified` without any. */
function weakest(levels: readonly EvidenceLevel[]): EvidenceLevel {
  return EVIDENCE_LEVELS.findLast((level) => levels.includes(level)) ?? "unverified";
}

async function prove(
  context: ChecksContext,
  request: VerifyRequest,
  { place }: CheckList,
  check: KnownCheck,
): Promise<VerifyResult> {
  const { signal, onProgress } = request;
  const home = context.home.path;
  // Edits after this moment may not be part of the checkout.
  const at = Date.now();
  const begun = performance.now();
  const directory = createRunDirectory(home);
  let isHandedOver = false;
  try {
    const snapshot = place.repository
      ? await takeSnapshot(place.repository, directory.path, { signal })
      : undefined;
    const warnings = await warningsFor(snapshot, todosOf(request), signal);
    const tree = snapshot?.tree ?? "";
    const key = [home, place.key, check.name, check.hash, tree].join("\0");
    const result = await shareRun(
      snapshot ? key : `${key}\0${directory.marker}`,
      async (runSignal) => {
        isHandedOver = true;
        try {
          return await locked(runSignal);
        } finally {
          await directory.remove();
        }
      },
      { signal, onShared: () => onProgress?.({ step: "waiting" }) },
    );
    signal?.throwIfAborted();
    return await record(context, request, { check, result, at, tree, warnings });

    async function locked(runSignal: AbortSignal): Promise<RunResult> {
      const release = await takeLock(lockFile(home, place.key, check.name), {
        signal: runSignal,
        onWait: () => onProgress?.({ step: "waiting" }),
      });
      try {
        const last = readLastRun(home, place.key, check.name);
        // Another process ran the same check on the same files while this one waited.
        const isSame = tree !== "" && last?.tree === tree && last.hash === check.hash;
        if (isSame && last.endedAt >= at) return last;
        const ran = snapshot
          ? await runOnCheckout(context, request, check, snapshot, directory, begun, runSignal)
          : await runIn(context, request, check, place.root, directory, runSignal);
        if (ran.ended !== "cancelled")
          writeLastRun(home, place.key, check.name, {
            ...ran,
            at,
            endedAt: Date.now(),
            tree,
            hash: check.hash,
          });
        return ran;
      } finally {
        release?.();
      }
    }
  } finally {
    if (!isHandedOver) await directory.remove();
  }
}

async function runOnCheckout(
  context: ChecksContext,
  request: VerifyRequest,
  check: KnownCheck,
  snapshot: Snapshot,
  directory: RunDirectory,
  begun: number,
  signal: AbortSignal,
): Promise<RunResult> {
  const { onProgress } = request;
  const { repository, tree, changed } = snapshot;
  const parent = join(directory.path, "work");
  mkdirSync(parent);
  // Some tests print or compare the name of their directory.
  const root = join(parent, basename(repository.root) || "root");
  await checkout(snapshot, root, signal);
  onProgress?.({ step: "checkout", tree, changed: changed.length, durationMs: since(begun) });
  const linking = performance.now();
  const names = await linkDependencies(repository, root, check.links, signal);
  if (names.length > 0) onProgress?.({ step: "links", names, durationMs: since(linking) });
  const path = pythonPath(repository.root, root, names, context.env.PYTHONPATH);
  const env = path === undefined ? context.env : { ...context.env, PYTHONPATH: path };
  return runIn({ ...context, env }, request, check, root, directory, signal);
}

async function runIn(
  { env }: ChecksContext,
  { onProgress }: VerifyRequest,
  check: KnownCheck,
  root: string,
  directory: RunDirectory,
  signal: AbortSignal,
): Promise<RunResult> {
  const { name, command, timeoutMs } = check;
  const temporary = join(directory.path, "tmp");
  mkdirSync(temporary);
  onProgress?.({ step: "started", check: name, command, timeoutMs });
  const result = await runCheck({
    command,
    cwd: join(root, check.directory),
    directory: directory.path,
    temporary,
    marker: directory.marker,
    timeoutMs,
    env,
    signal,
    ...(onProgress && { onOutput: (lines) => onProgress({ step: "output", lines }) }),
  });
  const { ok, exitCode, durationMs } = result;
  onProgress?.({ step: "ended", ok, exitCode, durationMs });
  return result;
}

function since(begun: number): number {
  return Math.round(performance.now() - begun);
}

/** The warnings for each todo, or for the request as a whole if it names none. */
interface Warnings {
  of(todo: TodoToProve | undefined): readonly TamperWarning[];
  readonly all: readonly TamperWarning[];
}

/** Compares the files with the last commit before each todo was started, or else with the last commit. */
async function warningsFor(
  snapshot: Snapshot | undefined,
  todos: readonly TodoToProve[],
  signal: AbortSignal | undefined,
): Promise<Warnings> {
  const byBase = new Map<string | undefined, readonly TamperWarning[]>();
  const bases = new Map<TodoToProve | undefined, string | undefined>();
  for (const todo of snapshot ? (todos.length > 0 ? todos : [undefined]) : []) {
    const begun = todo?.startedAt ?? todo?.createdAt;
    const root = snapshot?.repository.root ?? "";
    const before = begun === undefined ? undefined : await commitBefore(root, begun, signal);
    const base = before ?? snapshot?.head;
    bases.set(todo, base);
    if (snapshot && !byBase.has(base))
      byBase.set(base, detectTampering(await changesSince(base, snapshot, signal)));
  }
  const unique = new Map(
    [...byBase.values()].flat().map((warning) => [JSON.stringify(warning), warning]),
  );
  return {
    of: (todo) => (bases.has(todo) ? (byBase.get(bases.get(todo)) ?? []) : []),
    all: [...unique.values()],
  };
}

interface Proven {
  readonly check: KnownCheck;
  readonly result: RunResult;
  readonly at: number;
  readonly tree: string;
  readonly warnings: Warnings;
}

/** Records one proof for each todo and for the task. */
async function record(
  { home }: ChecksContext,
  request: VerifyRequest,
  { check, result, at, tree, warnings }: Proven,
): Promise<VerifyResult> {
  const { id, task, edits } = request;
  const { ok, exitCode, ended, durationMs, output } = result;
  const { name, command, timeoutMs } = check;
  const todos = todosOf(request);
  const isInPlace = tree === "";
  const proofOf = (todo: TodoToProve | undefined): ProofRecord => ({
    id: id ?? NO_SESSION,
    check: name,
    command,
    ok,
    exitCode,
    ...(ended && { ended }),
    at,
    durationMs,
    tree,
    ...(isInPlace && { inPlace: true }),
    machine: machineName(undefined),
    warnings: todo ? warnings.of(todo) : warnings.all,
    output,
    ...(edits !== undefined && { edits }),
    ...(todo && { todo: { id: todo.id, text: todo.text } }),
    ...(task !== undefined && { task }),
  });
  const proofs = id ? todos.map(proofOf) : [];
  if (task !== undefined && proofs.length === 0) proofs.push(proofOf(undefined));
  if (proofs.length > 0) await recordProofs(home, proofs);
  const levels = todos.map((todo) => evidenceLevelOf({ ...todo, proof: proofOf(todo) }));
  const reason = failureText(result, timeoutMs);
  return {
    ok,
    check: name,
    command,
    exitCode,
    ...(ended && { ended }),
    durationMs,
    tree,
    level: todos.length > 0 ? weakest(levels) : ok ? "reproduced" : "unverified",
    warnings: warnings.all,
    output,
    ...(reason !== undefined && { reason }),
    ...(isInPlace && { inPlace: true }),
    proofs,
  };
}
