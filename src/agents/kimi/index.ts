import type { Agent } from "../agent.ts";
import { kimi as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const kimi: Agent = { identity, decoder };
