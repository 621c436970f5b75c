import type { Entries } from "../../args/command.ts";

const decide = () => import("./decide.ts");

export const PLAN_ACTIONS: Entries = {
  show: {
    summary: "Show the plan of a session, its steps and what was decided",
    load: async () => (await import("./show.ts")).show,
  },
  approve: {
    summary: "Let the agent begin; its list opens",
    load: async () => (await decide()).approve,
  },
  reject: {
    summary: "Send the plan back; the list stays closed",
    load: async () => (await decide()).reject,
  },
  comment: {
    summary: "Say something about the plan or one of its steps",
    load: async () => (await decide()).comment,
  },
  adopt: {
    summary: "Make todos of the steps of an approved plan",
    load: async () => (await decide()).adopt,
  },
  propose: {
    summary: "Put a plan before a person, for agents that have no plan mode of their own",
    load: async () => (await import("./propose.ts")).propose,
  },
};
