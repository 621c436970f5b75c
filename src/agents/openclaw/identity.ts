import type { Identity } from "../identity.ts";

export const identity = {
  id: "openclaw",
  name: "OpenClaw",
  code: "ow",
  basis: "OpenClaw 2026.9.6; `update_plan` by its source",
} satisfies Identity;
