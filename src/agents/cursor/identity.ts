import type { Identity } from "../identity.ts";

export const identity = {
  id: "cursor",
  name: "Cursor",
  code: "cu",
  basis: "documentation only",
  shortName: "cursor",
  clients: ["cursor"],
  support: { guide: "editors" },
} satisfies Identity;
