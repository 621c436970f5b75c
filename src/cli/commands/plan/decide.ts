import { wholeNumber } from "../../args/arguments.ts";
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
  summary: "What the agent is told with it",
} as const;

const USER = { by: "user", via: "cli" } as const;

export const approve = defineCommand({
  arguments: [SESSION],
  options: {
    comment: COMMENT,
    adopt: { type: "boolean", summary: "Make todos of its steps even where others are open" },
    ...PLAN_OPTIONS,
  },
  examples: [
    { command: "waymark plan approve refunds", says: "Its steps become the list, if none is open" },
    {
      command: 'waymark plan approve refunds --comment "Keep the old endpoint"',
      says: "With a word",
    },
  ],
  async run(given) {
    const call = { ...given, values: withSession(given.values, given.args[0]) };
    const { comment, adopt = "if free" } = call.values;
    const list = await listWithPlan(call);
    const outcome = await list.plan.approve(comment, { ...USER, adopt, ...keyOf(call.values) });
    return reportPlan(call, outcome, "The plan is approved; the agent may begin");
  },
});

export const reject = defineCommand({
  arguments: [SESSION],
  options: { comment: COMMENT, ...PLAN_OPTIONS },
  examples: [
    {
      command: 'waymark plan reject refunds --comment "Without a new table"',
      says: "With the reason",
    },
    { command: "waymark plan reject refunds --json", says: "For a program" },
  ],
  async run(given) {
    const call = { ...given, values: withSession(given.values, given.args[0]) };
    const list = await listWithPlan(call);
    const outcome = await list.plan.reject(call.values.comment, {
      ...USER,
      ...keyOf(call.values),
    });
    return reportPlan(call, outcome, "The plan is rejected; the agent is told to change it");
  },
});

export const comment = defineCommand({
  arguments: [{ name: "TEXT", summary: "what is to be said" }, SESSION],
  options: {
    step: { type: "string", value: "N", summary: "About this step" },
    ...PLAN_OPTIONS,
  },
  examples: [
    { command: 'waymark plan comment "Behind a flag" refunds --step 2', says: "On one step" },
    { command: 'waymark plan comment "Ask before the release" refunds', says: "On all of it" },
  ],
  async run(given) {
    const [text = "", session] = given.args;
    const call = { ...given, values: withSession(given.values, session) };
    const step = call.values.step;
    const about = step === undefined ? {} : { step: wholeNumber("--step", step, 1) };
    const list = await listWithPlan(call);
    const outcome = await list.plan.comment(text, { ...USER, ...about, ...keyOf(call.values) });
    return reportPlan(call, outcome, "The agent is told with its next step");
  },
});

export const adopt = defineCommand({
  arguments: [SESSION],
  options: PLAN_OPTIONS,
  examples: [
    { command: "waymark plan adopt checkout", says: "The steps of a plan that was approved" },
    { command: "waymark plan adopt checkout --json", says: "With the list that it makes" },
  ],
  async run(given) {
    const call = { ...given, values: withSession(given.values, given.args[0]) };
    const list = await listWithPlan(call);
    const outcome = await list.plan.adopt({ ...USER, ...keyOf(call.values) });
    return reportPlan(call, outcome, "The steps of the plan are todos now");
  },
});
