import type { Identity } from "../identity.ts";

export const identity = {
  id: "cline",
  name: "Cline",
  code: "cl",
  basis: "Cline CLI 3.0.65; its extension by its documentation",
  command: "cline",
  resumeCommand: "cline --id SESSION",
} satisfies Identity;
