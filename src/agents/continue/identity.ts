import type { Identity } from "../identity.ts";

export const identity = {
  id: "continue",
  name: "Continue",
  code: "ct",
  basis: "Continue CLI 1.5.47",
  command: "cn",
  clients: ["continue-cli-client"],
  support: { stream: false },
} satisfies Identity;
