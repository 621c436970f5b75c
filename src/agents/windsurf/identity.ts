import type { Identity } from "../identity.ts";

export const identity = {
  id: "windsurf",
  name: "Windsurf",
  code: "ws",
  basis: "documentation only",
  shortName: "windsurf",
  clients: ["windsurf"],
  support: { guide: "editors" },
} satisfies Identity;
