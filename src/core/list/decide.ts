/**
 * core/list: the todo list itself. `decide` turns a submission into an event or a rejection, under a
 * policy; `apply` carries out single operations, `match` pairs a rewritten list with the known one,
 * `protect` keeps edits of the user that the agent has not seen, `markdown` prints and parses lists.
 * Pure: the caller supplies time and keys.
 */
import { isBacked } from "../activity/observe.ts";
import { hasNews } from "../guidance/user-edits.ts";
import type {
  Change,
  Check,
  Decision,
  Event,
  Op,
  Rejection,
  Submission,
  Todo,
  Track,
} from "../model.ts";
import type { Plan } from "../plan/plan.ts";
import { joinText, line, modelText } from "../text/model-text.ts";
import { applyOp, moved, type WorkingList, workingListOf } from "./apply.ts";
import { diff } from "./diff.ts";
import type { Policy } from "./policy.ts";
import { keepAdded, protectEdits } from "./protect.ts";
import { shortQuote } from "./target.ts";
import { type Checked, checkNote } from "./validate.ts";

/** All judgement lives here: what of a submission happens, and why the rest does not. */
export function decide(track: Track, submission: Submission, policy: Policy): Decision {
  const { ops, by, at, key, via, words = {} } = submission;
  if (by === "agent" && track.mode === "plan" && ops.some((op) => op.op !== "mode"))
    return refuse([planMode(track.plan)]);

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
    const refused = applyOp(working, op, { track, policy, words, at, by });
    const crowded = tooMany(track, working, op, policy);
    if (crowded) Object.assign(working, before);
    for (const { code, message } of crowded ? [...refused, crowded] : refused)
      rejected.push({
        code,
        message: op.at === undefined ? message : modelText`${line(op.at, 60)}: ${message}`,
      });
  }
  if (rejected.length > 0 && !submission.partial) return refuse(rejected);

  // Who only reads learns of a person's edits; the list stays as it is.
  const isRead = ops.length === 0 && rejected.length === 0;
  const crowd = isRead ? undefined : settleFocus(track, working, policy);
  if (crowd) return refuse([...rejected, crowd]);
  const kept =
    by === "agent" ? [...protectEdits(working, track), ...keepAdded(working, track)] : [];
  if (kept.length > 0) keepFirstActive(working);

  const changes: Change[] = diff(track, working);
  if (by === "agent") changes.push(...verified(track.todos, track.activity?.check, changes));
  if (by === "user") changes.push(...verifiedAgain(track, changes));
  if (track.version === 0) changes.unshift({ type: "track.opened", ...submission.origin });
  // A submission that achieved nothing but refusals leaves no trace.
  if (rejected.length > 0 && !changes.some((change) => change.type !== "track.opened"))
    return refuse(rejected);
  if (submission.informs && hasNews(track)) changes.push({ type: "edits.shown" });

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

/** Completions that are backed by a check which ran after the last edit and after their start. */
export function verified(
  todos: readonly Todo[],
  check: Check | undefined,
  changes: readonly Change[],
): readonly Change[] {
  if (!check) return [];
  const done = changes.flatMap((change) =>
    change.type === "todo.moved" && change.to === "completed" ? change.id : [],
  );
  return todos
    .filter((todo) => done.includes(todo.id) && isBacked(todo, check))
    .map(({ id }) => ({ type: "todo.verified", id, check }));
}

/** Completions that a person took back and now restores, with nothing edited since their check. */
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

function checkComment({ comment = "", words }: Submission, policy: Policy): Checked<string> {
  if (comment.trim() === "") return { value: "", rejected: [] };
  return checkNote(words?.comment ?? modelText`comment`, comment, policy);
}

function refuse(rejected: readonly Rejection[]): Decision {
  return { ok: false, rejected };
}

/** Refused because the track waits for a person's approval of its plan. */
export function planMode(plan?: Plan): Rejection {
  const waits = modelText`Your plan waits for the user's decision, and the list is closed until it is approved. Tell the user that it waits; when it is approved you will be told.`;
  const again = modelText`The user rejected your plan, and the list is closed until one is approved. Change the plan and propose it again.`;
  if (plan?.state === "proposed") return { code: "plan_mode", message: waits };
  if (plan?.state === "rejected") return { code: "plan_mode", message: again };
  return {
    code: "plan_mode",
    message: modelText`The list is closed in plan mode: nothing is to be carried out before the plan is approved. Finish the plan and ask for approval, then write the list.`,
  };
}

function tooMany(
  track: Track,
  working: WorkingList,
  op: Op,
  policy: Policy,
): Rejection | undefined {
  const count = working.todos.length;
  // A list that a person made longer may stay as long as it is.
  if (count <= Math.max(policy.maxTodos, working.list === track.list ? track.todos.length : 0))
    return undefined;
  const verb = op.op === "replace" ? "The list has" : "That makes";
  return {
    code: "too_many",
    message: modelText`${verb} ${count} todos; at most ${policy.maxTodos} are allowed. Merge small steps or leave some for later.`,
  };
}

/** One current focus, by the rule of the tool that was used. */
function settleFocus(track: Track, working: WorkingList, policy: Policy): Rejection | undefined {
  const active = working.todos.filter((todo) => todo.status === "in_progress");
  const before = track.todos.filter((todo) => todo.status === "in_progress");
  if (policy.active === "reject" && active.length > Math.max(1, before.length)) {
    const names = active.slice(0, 3).map((todo) => shortQuote(todo.text));
    return {
      code: "two_active",
      message: modelText`${active.length} todos are in_progress (${joinText(names, ", ")}); only one can be. Keep one in_progress and send the others as pending.`,
    };
  }
  if (policy.active === "normalise") keepFirstActive(working);
  if (policy.promote && active.length === 0) {
    const first = working.todos.find((todo) => todo.status === "pending");
    working.todos = working.todos.map((todo) =>
      todo === first ? moved(todo, "in_progress") : todo,
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
    return stays ? todo : moved(todo, "pending");
  });
}
