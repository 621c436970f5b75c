import type { Agent } from "../agent.ts";
import { identity } from "./identity.ts";

export const windsurf: Agent = { identity };
