import type { Agent } from "../agent.ts";
import { claudeCode as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const claudeCode: Agent = { identity, decoder };
