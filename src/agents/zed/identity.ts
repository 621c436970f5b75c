import type { Identity } from "../identity.ts";

export const identity = {
  id: "zed",
  name: "Zed",
  code: "zd",
  basis: "documentation only",
  shortName: "zed",
  clients: ["Zed"],
  support: { guide: "editors", stream: false },
} satisfies Identity;
