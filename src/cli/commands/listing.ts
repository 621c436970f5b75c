import type { Entries } from "../args/command.ts";

/** Commands that are also in a smaller bundle of their own, which starts faster. */
export const LISTING = {
  ls: {
    summary: "List agents and their progress",
    load: async () => (await import("./ls.ts")).ls,
  },
} satisfies Entries;
