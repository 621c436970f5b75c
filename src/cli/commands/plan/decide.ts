import { parseInteger } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import {
  keyOf,
  listWithPlan,
  PLAN_OPTIONS,
  reportPlan,
  SESSION,
  withSession,
} from "../../options/plan-call.ts";

const COMMENT = {
  type: "string",
  value: "TEXT",
  summary: "Comment for the agent",
  perCall: true,
} as const;

const USER = { by: "user", via: "cli" } as const;

export const approve = defineCommand({
  arguments: [SESSION],
  options: {
    comment: COMMENT,
    adopt: {
      type: "boolean",
      summary: "Turn its steps into todos even if todos are open",
      perCall: true,
    },
    ...PLAN_OPTIONS,
  },
  examples: [
    {
      command: "waymark plan approve refunds",
      comment: "Approve the plan; its steps become todos if none are open",
    },
    {
      command: 'waymark plan approve refunds --comment "Keep the old endpoint"',
      comment: "Approve it with a comment",
    },
  ],
  seeAlso: ["plan show"],
  async run(given) {
    const call = { ...given, values: withSession(given.values, given.args[0]) };
    const { comment, adopt = "if free" } = call.values;
    const list = await listWithPlan(call);
    const outcome = await list.plan.approve(comment, { ...USER, adopt, ...keyOf(call.values) });
    return reportPlan(call, outcome, "Approved the plan; the agent can start");
  },
});

export const reject = defineCommand({
  arguments: [SESSION],
  options: { comment: COMMENT, ...PLAN_OPTIONS },
  examples: [
    {
      command: 'waymark plan reject refunds --comment "Without a new table"',
      comment: "Reject it with a reason",
    },
    { command: "waymark plan reject refunds --json", comment: "Print the result as JSON" },
  ],
  seeAlso: ["plan show"],
  async run(given) {
    const call = { ...given, values: withSession(given.values, given.args[0]) };
    const list = await listWithPlan(call);
    const outcome = await list.plan.reject(call.values.comment, {
      ...USER,
      ...keyOf(call.values),
    });
    return reportPlan(call, outcome, "Rejected the plan; the agent has to revise it");
  },
});

export const comment = defineCommand({
  arguments: [{ name: "TEXT", summary: "Comment" }, SESSION],
  options: {
    step: {
      type: "string",
      value: "N",
      summary: "Number of the step that it is about",
      perCall: true,
    },
    ...PLAN_OPTIONS,
  },
  examples: [
    {
      command: 'waymark plan comment "Behind a flag" refunds --step 2',
      comment: "Comment on one step",
    },
    {
      command: 'waymark plan comment "Ask before the release" refunds',
      comment: "Comment on the whole plan",
    },
  ],
  seeAlso: ["plan show"],
  async run(given) {
    const [text = "", session] = given.args;
    const call = { ...given, values: withSession(given.values, session) };
    const step = call.values.step;
    const about = step === undefined ? {} : { step: parseInteger("--step", step, 1) };
    const list = await listWithPlan(call);
    const outcome = await list.plan.comment(text, { ...USER, ...about, ...keyOf(call.values) });
    return reportPlan(call, outcome, "Added the comment; the agent sees it with its next step");
  },
});

export const adopt = defineCommand({
  arguments: [SESSION],
  options: PLAN_OPTIONS,
  examples: [
    { command: "waymark plan adopt checkout", comment: "Turn the steps into todos" },
    { command: "waymark plan adopt checkout --json", comment: "Print the new list as JSON" },
  ],
  seeAlso: ["plan show"],
  async run(given) {
    const call = { ...given, values: withSession(given.values, given.args[0]) };
    const list = await listWithPlan(call);
    const outcome = await list.plan.adopt({ ...USER, ...keyOf(call.values) });
    return reportPlan(call, outcome, "Turned the steps of the plan into todos");
  },
});
