import type { Identity } from "../identity.ts";

export const identity = {
  id: "kimi",
  name: "Kimi Code",
  code: "km",
  basis: "Kimi Code 2.1.0; its predecessor Kimi CLI by its documentation",
  resumeCommand: "kimi --session SESSION",
} satisfies Identity;
