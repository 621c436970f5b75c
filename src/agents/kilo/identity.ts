import type { Identity } from "../identity.ts";

export const identity = {
  id: "kilo",
  name: "Kilo Code",
  code: "kl",
  basis: "Kilo CLI 7.7.9",
  shortName: "kilo",
  command: "kilo",
  resumeCommand: "kilo --session SESSION",
  clients: ["kilo"],
  support: { guide: "kilo", stream: "with `--from kilo`", subagents: true, needsYou: ["hooks"] },
} satisfies Identity;
