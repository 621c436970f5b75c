import type { Identity } from "../identity.ts";

export const identity = {
  id: "oh-my-pi",
  name: "oh-my-pi",
  code: "om",
  basis: "oh-my-pi 18.2.3; its former tool todo_write by its description",
  shortName: "omp",
  command: "omp",
  resumeCommand: "omp --resume SESSION",
  clients: ["omp-coding-agent"],
  support: { guide: "oh-my-pi", subagents: true, needsYou: ["hooks", "session files"] },
} satisfies Identity;
