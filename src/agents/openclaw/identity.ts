import type { Identity } from "../identity.ts";

export const identity = {
  id: "openclaw",
  name: "OpenClaw",
  code: "ow",
  basis: "OpenClaw 2026.9.6; `update_plan` by its source",
  shortName: "openclaw",
  command: "openclaw",
  clients: ["openclaw"],
  support: { guide: "openclaw", stream: false, subagents: true },
} satisfies Identity;
