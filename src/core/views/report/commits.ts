import type { Todo } from "../../model.ts";
import type { ListedCommit, MatchedCommit, ReportCommit } from "./model.ts";
import type { Member } from "./sessions.ts";

/** A todo that a commit may belong to. */
export interface Candidate {
  readonly member: Member;
  readonly todo: Todo;
}

/** Agents commit shortly after they complete a todo. */
const AFTER = 5 * 60_000;

/**
 * The todo that each commit belongs to: one that was worked on at that time, in that repository. If several
 * fit, the one whose agent edited files of the commit. No todo if that does not decide it.
 */
export function matchCommits(
  commits: readonly ReportCommit[],
  candidates: readonly Candidate[],
): {
  readonly listed: readonly ListedCommit[];
  readonly of: ReadonlyMap<Todo, readonly MatchedCommit[]>;
} {
  const of = new Map<Todo, MatchedCommit[]>();
  const listed = commits.map((commit): ListedCommit => {
    const best = bestFor(commit, candidates);
    if (!best) return commit;
    const { member, todo } = best.candidate;
    const { hash, at, subject } = commit;
    const known = of.get(todo) ?? [];
    of.set(todo, [...known, { hash, at, subject, inferred: true, files: best.files }]);
    const { session, agent } = member.ref;
    return { ...commit, todo: { session, agent, todo: todo.id, text: todo.text } };
  });
  return { listed, of };
}

interface Fit {
  readonly candidate: Candidate;
  readonly files: readonly string[];
  /** Whether the commit was made while the todo was in progress, not shortly after. */
  readonly during: boolean;
}

function bestFor(commit: ReportCommit, candidates: readonly Candidate[]): Fit | undefined {
  const fits = candidates.flatMap((candidate) => fitOf(commit, candidate) ?? []);
  const order = (a: Fit, b: Fit) =>
    b.files.length - a.files.length || Number(b.during) - Number(a.during);
  const [first, second] = fits.sort(order);
  if (!first) return undefined;
  return second && order(first, second) === 0 ? undefined : first;
}

function fitOf(commit: ReportCommit, candidate: Candidate): Fit | undefined {
  const { member, todo } = candidate;
  const { startedAt = todo.createdAt, finishedAt } = todo;
  const { cwd } = member.ref;
  if (cwd === undefined || !commit.directories.includes(cwd)) return undefined;
  const end = finishedAt ?? Number.POSITIVE_INFINITY;
  // Git records whole seconds.
  if (commit.at < Math.floor(startedAt / 1_000) * 1_000 || commit.at > end + AFTER)
    return undefined;
  const edits = editedIn(member, startedAt, Math.min(end + AFTER, commit.at + 1_000));
  const files = commit.files.filter((file) => edits.some((label) => names(label, file)));
  return { candidate, files, during: commit.at <= end };
}

/** Labels of the agent's edits in that time, e.g. `Edit src/a.ts`. */
function editedIn({ timeline }: Member, from: number, to: number): readonly string[] {
  return (
    timeline?.calls
      .filter(({ kind, at }) => kind === "edit" && at >= from && at <= to)
      .map(({ label }) => label) ?? []
  );
}

/** Whether the label of an edit names this file of the repository. */
function names(label: string, file: string): boolean {
  return label === file || label.endsWith(` ${file}`) || label.endsWith(`/${file}`);
}
