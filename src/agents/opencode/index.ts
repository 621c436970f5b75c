import type { Agent } from "../agent.ts";
import { opencode as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const opencode: Agent = { identity, decoder };
