import type { Agent } from "../agent.ts";
import { cline as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const cline: Agent = { identity, decoder };
