import type { Entries } from "../args/command.ts";

/** Commands that are also in a small program of their own. */
export const LISTING = {
  ls: {
    summary: "Show every agent on this machine, the newest first",
    load: async () => (await import("./ls.ts")).ls,
  },
} satisfies Entries;
