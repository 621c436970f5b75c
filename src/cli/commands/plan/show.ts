import type { Plan } from "../../../core/plan/plan.ts";
import { stepsOf } from "../../../core/plan/steps.ts";
import { renderHistory } from "../../../surfaces/text/index.ts";
import { type Call, defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { textOptions } from "../../io/text-options.ts";
import { SESSION, trackWithPlan, withSession } from "../../options/plan-call.ts";
import { READ_OPTIONS } from "../../options/which-track.ts";
import { historyRow, transitionForm } from "../../print/history-form.ts";
import { planForm } from "../../print/plan-form.ts";
import { planLines } from "../../print/show-lines.ts";

export const show = defineCommand({
  arguments: [SESSION],
  options: { ...READ_OPTIONS, json: { type: "boolean", summary: "Print JSON" } },
  examples: [
    { command: "waymark plan show refunds", says: "The plan, and what can be done about it" },
    { command: "waymark plan show refunds --json", says: "For a program" },
  ],
  async run(given) {
    const call = { ...given, values: withSession(given.values, given.args[0]) };
    const { terminal } = call;
    const { found, list } = await trackWithPlan(call);
    const { session, agent } = list.id;
    const history = (await list.remarks()).filter(({ what }) => what.startsWith("plan"));
    const plan = found?.plan;
    if (!plan || !found) return EXIT.no;
    if (call.values.json)
      terminal.printJson({
        session,
        agent,
        hosted: found.hosted && !plan.foreign,
        mode: found.track.mode,
        plan: planForm(plan),
        history: history.map(transitionForm),
      });
    else terminal.print(textOf(call, plan, session, history.map(historyRow)));
    return EXIT.fine;
  },
});

function textOf(
  { terminal }: Pick<Call, "terminal">,
  plan: Plan,
  session: string,
  history: readonly ReturnType<typeof historyRow>[],
): string {
  const parts = [
    planLines(plan),
    history.length > 0 ? [renderHistory(history, textOptions(terminal, Date.now()))] : [],
    [wayOn(plan, session)],
  ];
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}

/** What can be done about it now. */
function wayOn(plan: Plan, session: string): string {
  const steps = stepsOf(plan.text).length;
  const count = steps === 1 ? "1 step" : `${steps} steps`;
  if (plan.foreign && plan.state === "proposed") return "It waits for you in the agent itself.";
  switch (plan.state) {
    case "streaming":
      return "The agent is still writing it.";
    case "proposed": {
      const ways = `It waits for you: waymark plan approve ${session}, or waymark plan reject ${session} --comment TEXT.`;
      if (steps === 0) return ways;
      return `${ways} It has ${count}, which become the list with it, unless todos are open.`;
    }
    case "approved":
      if (plan.adoptedAt !== undefined) return `Its ${count} became todos.`;
      return steps > 0
        ? `Its ${count} can become todos: waymark plan adopt ${session}`
        : "It has no steps that could become todos.";
    case "rejected":
      return "The agent has to change it and propose it again.";
  }
}
