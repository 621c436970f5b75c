import type { Entries } from "../../args/command.ts";

export const CHECK_ACTIONS: Entries = {
  add: {
    summary: "Approve a command as a check",
    load: async () => (await import("./add.ts")).add,
  },
  list: {
    summary: "List the checks of this repository",
    load: async () => (await import("./list.ts")).list,
  },
  run: {
    summary: "Run a check without recording it",
    load: async () => (await import("./run.ts")).run,
  },
  trust: {
    summary: "Trust checks that the repository defines",
    load: async () => (await import("./trust.ts")).trust,
  },
  remove: {
    summary: "Remove a check, or the trust in it",
    load: async () => (await import("./remove.ts")).remove,
  },
};
