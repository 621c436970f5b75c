import type { Activity, ToolActivity } from "../activity/activity.ts";
import { simpleCommands } from "../activity/evidence/shell.ts";

/** Operations during which the user may not want the agent to write its list. */
export const SITUATIONS = ["git commit", "pull request"] as const;
export type Situation = (typeof SITUATIONS)[number];

/** The names that options and configuration files use. */
const NAMES: Readonly<Record<string, Situation>> = {
  commit: "git commit",
  "git-commit": "git commit",
  "git commit": "git commit",
  pr: "pull request",
  "pull-request": "pull request",
  "pull request": "pull request",
};

export const SITUATION_NAMES = ["commit", "pull-request"] as const;

/** Comma-separated names; undefined if one of them is unknown. */
export function readSituations(value: string): readonly Situation[] | undefined {
  const names = value.split(",").map((name) => name.trim().toLowerCase());
  const found = names.filter((name) => name !== "").map((name) => NAMES[name]);
  return found.includes(undefined) ? undefined : SITUATIONS.filter((each) => found.includes(each));
}

/** `WAYMARK_OFF_IN`. A value with an unknown name is ignored. */
export function situationsFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): readonly Situation[] {
  return readSituations(env.WAYMARK_OFF_IN ?? "") ?? [];
}

/** The inverse of `readSituations`, as setup writes it. */
export function situationNames(situations: readonly Situation[]): string {
  return SITUATION_NAMES.filter((name) => situations.includes(NAMES[name] as Situation)).join(",");
}

/**
 * The operation that an agent is in, by the commands it ran: from `git add` until the commit succeeds, and while a pull request
 * is being opened. List calls and commands that only read do not end it.
 */
export function situationOf(activity: Activity | undefined): Situation | undefined {
  if (!activity || !["running", "none"].includes(activity.turn)) return undefined;
  const calls = [...activity.recent, ...activity.open].toSorted(
    (one, other) => one.startedAt - other.startedAt,
  );
  const last = calls.findLast((call) => !isListCall(call) && !isReadOnly(call));
  return last && situationIn(last);
}

const LIST_CALL =
  /(?:^|_)(?:todos?|tasks|TodoWrite|TodoRead|todo_write|todowrite|write_todos|update_plan|Task(?:Create|Update|Get|List))$/;

function isListCall({ name, label }: ToolActivity): boolean {
  return LIST_CALL.test(name) || label === "writing the list";
}

const READS = new Set(["status", "diff", "log", "show", "branch", "rev-parse"]);

function isReadOnly({ label }: ToolActivity): boolean {
  const commands = commandsIn(label);
  return (
    commands.length > 0 &&
    commands.every(([program, verb = ""]) => program === "git" && READS.has(verb))
  );
}

function situationIn(call: ToolActivity): Situation | undefined {
  const isOver = call.endedAt !== undefined && call.ok !== false;
  for (const [program = "", verb = "", object = ""] of commandsIn(call.label).toReversed()) {
    const asked = `${verb} ${object}`;
    if (program === "git" && verb === "commit") return isOver ? undefined : "git commit";
    if (program === "git" && verb === "add") return "git commit";
    if (
      (program === "gh" && asked === "pr create") ||
      (program === "glab" && asked === "mr create")
    )
      return isOver ? undefined : "pull request";
  }
  return undefined;
}

/** Program, verb and object of each command, without global options such as `git -C directory`. */
function commandsIn(label: string): readonly (readonly string[])[] {
  return simpleCommands(label).map(({ words: [program = "", ...rest] }) => {
    const from = rest.findIndex(
      (word, index) => !word.startsWith("-") && !["-C", "-c", "-R"].includes(rest[index - 1] ?? ""),
    );
    return [program, ...(from === -1 ? [] : rest.slice(from, from + 2))];
  });
}
