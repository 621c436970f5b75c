import type { Agent } from "../agent.ts";
import { acp as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const acp: Agent = { identity, decoder };
