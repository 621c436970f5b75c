import type { Entries } from "../../args/command.ts";

const decide = () => import("./decide.ts");

export const PLAN_ACTIONS: Entries = {
  show: {
    summary: "Show the plan of a session and its history",
    load: async () => (await import("./show.ts")).show,
  },
  approve: {
    summary: "Approve a plan; its steps become todos",
    load: async () => (await decide()).approve,
  },
  reject: {
    summary: "Reject a plan; the agent has to revise it",
    load: async () => (await decide()).reject,
  },
  comment: {
    summary: "Comment on a plan or one of its steps",
    load: async () => (await decide()).comment,
  },
  adopt: {
    summary: "Turn the steps of an approved plan into todos",
    load: async () => (await decide()).adopt,
  },
  propose: {
    summary: "Propose a plan for an agent without a plan mode",
    load: async () => (await import("./propose.ts")).propose,
  },
};
