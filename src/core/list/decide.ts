/**
 * core/list: the todo list itself. `decide` turns a submission into an event or a rejection, under a
 * policy; `apply` carries out single operations, `match` pairs a rewritten list with the known one,
 * `protect` keeps edits of the user that the agent has not seen, `markdown` prints and parses lists.
 * Pure: the caller supplies time and keys.
 */
import type { Activity } from "../activity/activity.ts";
import { checkFor } from "../activity/apply-observations.ts";
import { LIST_REFUSALS } from "../guidance/refusal-texts.ts";
import { hasUnseenEdits } from "../guidance/user-edits.ts";
import type { Change, Decision, Event, Op, Rejection, Submission, Todo, Track } from "../model.ts";
import type { Plan } from "../plan/plan.ts";
import { line, modelText } from "../text/model-text.ts";
import { applyOp, setStatus, type WorkingList, workingListOf } from "./apply.ts";
import { diff } from "./diff.ts";
import type { Policy } from "./policy.ts";
import { keepUserTodos, protectEdits } from "./protect.ts";
import { shortQuote } from "./target.ts";
import { type Checked, checkNote } from "./validate.ts";

/** Decides which part of a submission takes effect, and why the rest is refused. */
export function decide(track: Track, submission: Submission, policy: Policy): Decision {
  const { ops, by, at, key, via, fieldNames = {} } = submission;
  if (by === "agent" && track.mode === "plan" && ops.some((op) => op.op !== "mode"))
    return refuse([planModeRejection(track.plan)]);

  const working = workingListOf(track);
  const comment = checkComment(submission, policy);
  const rejected: Rejection[] = [...(submission.refused ?? []), ...comment.rejected];
  for (const op of ops) {
    const before = {
      ...working,
      todos: [...working.todos],
      refused: [...working.refused],
      removed: [...working.removed],
    };
    const refused = applyOp(working, op, { track, policy, fieldNames, at, by });
    const crowded = tooMany(track, working, op, policy);
    if (crowded) Object.assign(working, before);
    for (const { code, message } of crowded ? [...refused, crowded] : refused)
      rejected.push({
        code,
        message: op.at === undefined ? message : modelText`${line(op.at, 60)}: ${message}`,
      });
  }
  if (rejected.length > 0 && !submission.partial) return refuse(rejected);

  // A read shows the user's edits and leaves the list unchanged.
  const isRead = ops.length === 0 && rejected.length === 0;
  const crowd = isRead ? undefined : settleFocus(track, working, policy);
  if (crowd) return refuse([...rejected, crowd]);
  const kept =
    by === "agent" ? [...protectEdits(working, track), ...keepUserTodos(working, track)] : [];
  if (kept.length > 0) keepFirstActive(working);

  const changes: Change[] = diff(track, working);
  if (by === "agent") changes.push(...verifiedChanges(track.todos, track.activity, changes));
  if (by === "user") changes.push(...verifiedAgain(track, changes));
  if (track.version === 0) changes.unshift({ type: "track.opened", ...submission.origin });
  // A submission whose ops were all refused leaves no event.
  if (rejected.length > 0 && !changes.some((change) => change.type !== "track.opened"))
    return refuse(rejected);
  if (submission.showsEdits && hasUnseenEdits(track)) changes.push({ type: "edits.shown" });

  const event: Event = {
    seq: track.version + 1,
    key,
    at,
    by,
    via,
    changes,
    ...(comment.value !== "" && { comment: comment.value }),
    ...(rejected.length > 0 && { rejected }),
    ...(kept.length > 0 && { kept }),
  };
  return { ok: true, event };
}

/** Verifies completions among the changes: the check must have passed after the last edit and after their start. */
export function verifiedChanges(
  todos: readonly Todo[],
  activity: Activity | undefined,
  changes: readonly Change[],
): readonly Change[] {
  if (!activity?.check) return [];
  const done = changes.flatMap((change) =>
    change.type === "todo.moved" && change.to === "completed" ? change.id : [],
  );
  return todos.flatMap((todo): readonly Change[] => {
    const check = done.includes(todo.id) ? checkFor(todo, activity) : undefined;
    return check ? [{ type: "todo.verified", id: todo.id, check }] : [];
  });
}

/** Verifies completions that the user undid and now restores, if nothing was edited since their check. */
function verifiedAgain(
  { setAside = {}, activity }: Track,
  changes: readonly Change[],
): readonly Change[] {
  return changes.flatMap((change) => {
    if (change.type !== "todo.moved" || change.to !== "completed") return [];
    const check = setAside[change.id];
    const isCurrent = check && (activity?.edits?.at ?? 0) <= check.at;
    return isCurrent ? { type: "todo.verified" as const, id: change.id, check } : [];
  });
}

function checkComment({ comment = "", fieldNames }: Submission, policy: Policy): Checked<string> {
  if (comment.trim() === "") return { value: "", rejected: [] };
  return checkNote(fieldNames?.comment ?? modelText`comment`, comment, policy);
}

function refuse(rejected: readonly Rejection[]): Decision {
  return { ok: false, rejected };
}

/** The rejection of a list write in plan mode. */
export function planModeRejection(plan?: Plan): Rejection {
  const message =
    plan?.state === "proposed"
      ? LIST_REFUSALS.planProposed
      : plan?.state === "rejected"
        ? LIST_REFUSALS.planRejected
        : LIST_REFUSALS.planMode;
  return { code: "plan_mode", message };
}

function tooMany(
  track: Track,
  working: WorkingList,
  op: Op,
  policy: Policy,
): Rejection | undefined {
  const count = working.todos.length;
  // A list that the user made longer than allowed may keep its length.
  if (count <= Math.max(policy.maxTodos, working.list === track.list ? track.todos.length : 0))
    return undefined;
  const message = LIST_REFUSALS.tooMany(count, policy.maxTodos, op.op === "replace");
  return { code: "too_many", message };
}

/** Enforces the policy's rule for todos in progress. */
function settleFocus(track: Track, working: WorkingList, policy: Policy): Rejection | undefined {
  const active = working.todos.filter((todo) => todo.status === "in_progress");
  const before = track.todos.filter((todo) => todo.status === "in_progress");
  if (policy.active === "reject" && active.length > Math.max(1, before.length)) {
    const names = active.slice(0, 3).map((todo) => shortQuote(todo.text));
    return { code: "two_active", message: LIST_REFUSALS.twoActive(active.length, names) };
  }
  if (policy.active === "normalise") keepFirstActive(working);
  if (policy.promote && active.length === 0) {
    const first = working.todos.find((todo) => todo.status === "pending");
    working.todos = working.todos.map((todo) =>
      todo === first ? setStatus(todo, "in_progress") : todo,
    );
  }
  return undefined;
}

function keepFirstActive(working: WorkingList): void {
  let found = false;
  working.todos = working.todos.map((todo) => {
    if (todo.status !== "in_progress") return todo;
    const stays = !found;
    found = true;
    return stays ? todo : setStatus(todo, "pending");
  });
}
