import { UsageError } from "../../../core/error.ts";
import { diffPlans } from "../../../core/plan/diff.ts";
import type { Plan } from "../../../core/plan/plan.ts";
import type { PlanRevision } from "../../../core/plan/revisions.ts";
import { stepsOf } from "../../../core/plan/steps.ts";
import { isoTime } from "../../../core/views/json.ts";
import { pageOf } from "../../../surfaces/text/draw/page.ts";
import { print, span } from "../../../surfaces/text/draw/spans.ts";
import { renderHistory } from "../../../surfaces/text/index.ts";
import {
  type ComparedPlan,
  comparedPlan,
  diffSummary,
  planDiffLines,
  rejectionText,
} from "../../../surfaces/text/plans/plan-diff.ts";
import { parseInteger } from "../../args/arguments.ts";
import { type Call, defineCommand, JSON_OPTION } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { textOptions } from "../../io/text-options.ts";
import { SESSION, trackWithPlan, withSession } from "../../options/plan-call.ts";
import { READ_OPTIONS } from "../../options/track-selection.ts";
import { historyRow, transitionForm } from "../../print/history-form.ts";
import { planForm } from "../../print/plan-form.ts";
import { planLines } from "../../print/show-lines.ts";

export const show = defineCommand({
  arguments: [SESSION],
  options: {
    ...READ_OPTIONS,
    diff: { type: "boolean", summary: "Compare it with the revision before" },
    base: {
      type: "string",
      value: "N",
      summary: "Revision to compare with (default: the one before)",
      perCall: true,
    },
    json: JSON_OPTION,
  },
  examples: [
    { command: "waymark plan show refunds --diff", comment: "Show what the last revision changed" },
    { command: "waymark plan show refunds", comment: "Show the plan and how to decide" },
    { command: "waymark plan show refunds --json", comment: "Print it as JSON" },
  ],
  seeAlso: ["plan approve", "plan reject", "plan comment"],
  async run(given) {
    const call = { ...given, values: withSession(given.values, given.args[0]) };
    const { terminal } = call;
    const { found, list } = await trackWithPlan(call);
    const { session, agent } = list.id;
    const history = (await list.remarks()).filter(({ what }) => what.startsWith("plan"));
    const plan = found?.plan;
    if (!plan || !found) return EXIT.failure;
    const { diff = false, base } = call.values;
    const revisions = await list.revisions();
    const compared = diff || base !== undefined ? compare(revisions, base, session) : undefined;
    if (call.values.json)
      terminal.printJson({
        session,
        agent,
        hosted: found.hosted && !plan.foreign,
        mode: found.track.mode,
        plan: planForm(plan),
        history: history.map(transitionForm),
        revisions: revisions.map(revisionForm),
        ...(compared && {
          diff: {
            from: compared.before.number,
            to: compared.after.number,
            ...diffPlans(compared.before.text, compared.after.text),
          },
        }),
      });
    else terminal.print(textOf(call, plan, session, history.map(historyRow), compared));
    return EXIT.success;
  },
});

function textOf(
  { terminal }: Pick<Call, "terminal">,
  plan: Plan,
  session: string,
  history: readonly ReturnType<typeof historyRow>[],
  compared: ComparedPlan | undefined,
): string {
  const parts = [
    compared ? [diffText(compared, plan, terminal)] : planLines(plan),
    history.length > 0 ? [renderHistory(history, textOptions(terminal, Date.now()))] : [],
    [nextStep(plan, session)],
  ];
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}

/** The revisions to compare; fails if there is no such revision. */
function compare(
  revisions: readonly PlanRevision[],
  base: string | undefined,
  session: string,
): ComparedPlan {
  const number = base === undefined ? undefined : parseInteger("--base", base, 1);
  const compared = comparedPlan(revisions, number);
  if (compared) return compared;
  const earlier = revisions.slice(0, -1).map((revision) => revision.number);
  throw new UsageError(
    earlier.length === 0
      ? `The plan of ${session} has one revision, so there is nothing to compare it with. Leave out --diff.`
      : `The plan of ${session} has no earlier revision ${number}. Use one of: ${earlier.join(", ")}.`,
  );
}

function diffText(
  compared: ComparedPlan,
  plan: Plan,
  terminal: Pick<Call, "terminal">["terminal"],
): string {
  const page = pageOf(textOptions(terminal, Date.now()));
  const rejection = rejectionText(page, compared);
  return print(
    [
      [
        span(
          `Plan, ${plan.state}, revision ${compared.after.number}: ${diffSummary(compared)}`,
          page.tones.bold,
        ),
      ],
      ...(rejection === undefined ? [] : [[span(rejection, page.tones.dim)]]),
      [],
      ...planDiffLines(page, compared),
    ],
    terminal.color,
  );
}

function revisionForm({ at, decision, comments, ...rest }: PlanRevision) {
  return {
    ...rest,
    at: isoTime(at),
    ...(decision && { decision: { ...decision, at: isoTime(decision.at) } }),
    comments: comments.map((comment) => ({ ...comment, at: isoTime(comment.at) })),
  };
}

/** The next steps of the user. */
function nextStep(plan: Plan, session: string): string {
  const steps = stepsOf(plan.text).length;
  const count = steps === 1 ? "1 step" : `${steps} steps`;
  if (plan.foreign && plan.state === "proposed") return "Waiting for your decision in the agent.";
  switch (plan.state) {
    case "streaming":
      return "The agent is still writing this plan.";
    case "proposed": {
      const commands = `Waiting for your decision: \`waymark plan approve ${session}\`, or \`waymark plan reject ${session} --comment TEXT\`.`;
      if (steps === 0) return commands;
      return `${commands} Its ${count} ${steps === 1 ? "becomes a todo" : "become todos"} when you approve it, unless todos are open.`;
    }
    case "approved":
      if (plan.adoptedAt !== undefined)
        return `Its ${count} became ${steps === 1 ? "a todo" : "todos"}.`;
      return steps > 0
        ? `To turn its ${count} into todos, run \`waymark plan adopt ${session}\`.`
        : "The plan has no steps that could become todos.";
    case "rejected":
      return "The agent has to revise it and propose it again.";
  }
}
