import type { Identity } from "../identity.ts";

export const identity = {
  id: "acp",
  name: "Agent Client Protocol",
  code: "ac",
  basis: "opencode 1.18.33 and Qwen Code 0.15.10 over ACP, and the schemas of SDK 2.4.0",
} satisfies Identity;
