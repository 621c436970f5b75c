import type { Agent } from "../agent.ts";
import { waymark as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const waymark: Agent = { identity, decoder };
