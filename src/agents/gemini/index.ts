import type { Agent } from "../agent.ts";
import { gemini as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const gemini: Agent = { identity, decoder };
