import type { Agent } from "../agent.ts";
import { qwen as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const qwen: Agent = { identity, decoder };
