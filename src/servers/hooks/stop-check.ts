import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { readProofs } from "../../checks/proofs.ts";
import type { ChecksContext } from "../../checks/request.ts";
import { verify } from "../../checks/verify.ts";
import { failureText, lastLines } from "../../core/checks/failure-text.ts";
import type { ProofRecord } from "../../core/checks/proof.ts";
import { runKey } from "../../core/guidance/check-finding.ts";
import type { Reminder, Todo, Track } from "../../core/model.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { isSymlink, replaceWithoutSync } from "../../engines/storage/files.ts";
import { treeOf } from "../../git/snapshot.ts";

/** The check that runs when an agent stops, from the environment. */
export interface StopCheckSettings {
  /** Name of the check; undefined for the default one. */
  readonly name: string | undefined;
  readonly limitMs: number;
}

/** Less than the 60 s after which most agents end a hook by default. */
const DEFAULT_LIMIT = 50_000;
const LONGEST = 60 * 60_000;

export function stopCheckFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): StopCheckSettings | undefined {
  const given = env.WAYMARK_STOP_CHECK?.trim() ?? "";
  if (given === "" || given === "0" || given === "off") return undefined;
  const limit = parseDuration(env.WAYMARK_STOP_CHECK_TIMEOUT ?? "");
  return {
    name: given === "1" || given === "on" ? undefined : given,
    limitMs: limit === undefined ? DEFAULT_LIMIT : Math.min(limit, LONGEST),
  };
}

export interface StoppingAgent {
  readonly track: Track;
  readonly cwd: string;
  /** The agent continued after an earlier answer at this stop. */
  readonly isRepeated: boolean;
}

/**
 * Runs the check for completed todos that are not proven on the present files. Returns the reminder for the agent if it
 * failed: at most once between two prompts, and never again for the same files, so that the agent can always stop.
 */
export async function checkAtStop(
  context: ChecksContext,
  { name, limitMs }: StopCheckSettings,
  { track, cwd, isRepeated }: StoppingAgent,
): Promise<{ readonly reminder?: Reminder; readonly problem?: string }> {
  const home = context.home.path;
  const { session, agent } = track;
  const completed = track.todos.filter(({ status }) => status === "completed");
  if (completed.length === 0) return {};
  const tree = await treeOf(cwd);
  const edits = track.activity?.edits?.count;
  // Outside of git, the number of edits stands for the files.
  const files = tree === "" ? `edits-${edits ?? 0}` : tree;
  const last = lastAnswer(home, session);
  if (last?.files === files) return {};
  const proofs = readProofs(home, session);
  const unproven = completed.filter((todo) => !isProven(todo, proofs, tree, name));
  if (unproven.length === 0) return {};
  const result = await verify(context, {
    cwd,
    id: { session, agent },
    todos: unproven,
    ...(name !== undefined && { check: name }),
    ...(edits !== undefined && { edits }),
    signal: AbortSignal.timeout(limitMs),
  });
  if (result.ok) return {};
  if (result.refused === "untrusted") return { problem: result.reason ?? "It is not trusted." };
  const prompts = track.guide?.prompts ?? 0;
  recordAnswer(home, session, { files, prompts });
  // Nothing is known about the work: no reason to keep the agent from stopping.
  if (result.exitCode === null) {
    const seconds = Math.round(limitMs / 1_000);
    const cap = `The check ${result.check} did not end within ${seconds} s.`;
    return { problem: result.refused === undefined ? (result.reason ?? cap) : cap };
  }
  if (isRepeated || last?.prompts === prompts) return {};
  const text = failureText({ ...result, lines: lastLines(result.output) }, unproven);
  const about = [...new Set(result.proofs.map(runKey))];
  return { reminder: { kind: "check", text, about, isMeta: true } };
}

function isProven(
  { text }: Todo,
  proofs: readonly ProofRecord[],
  tree: string,
  name: string | undefined,
): boolean {
  return proofs.some(
    (proof) =>
      proof.ok &&
      tree !== "" &&
      proof.tree === tree &&
      proof.todo?.text === text &&
      (name === undefined || proof.check === name),
  );
}

const DIR = "stop-checks";
const MAX_AGE = 7 * 24 * 60 * 60_000;

/** Session ids of other programs may have any characters. */
function fileOf(home: string, session: string): string {
  const name = createHash("sha256").update(session).digest("hex").slice(0, 32);
  return join(home, DIR, name);
}

interface Answer {
  /** Identifies the files that were checked. */
  readonly files: string;
  /** Number of prompts of the session at that time. */
  readonly prompts: number;
}

/** The last failed check of a session at a stop. */
function lastAnswer(home: string, session: string): Answer | undefined {
  try {
    const [files = "", prompts = ""] = readFileSync(fileOf(home, session), "utf8").split(" ");
    return { files, prompts: Number(prompts) };
  } catch {
    // None yet.
    return undefined;
  }
}

function recordAnswer(home: string, session: string, { files, prompts }: Answer): void {
  const dir = join(home, DIR);
  // Never write through a link. Without the record, the agent's own flag still prevents a loop.
  if (isSymlink(dir)) return;
  replaceWithoutSync(fileOf(home, session), `${files} ${prompts}\n`);
  for (const name of readdirSync(dir)) {
    const stats = statSync(join(dir, name), { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > MAX_AGE) rmSync(join(dir, name), { force: true });
  }
}
