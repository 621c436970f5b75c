import type { Agent } from "../agent.ts";
import { openclaw as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const openclaw: Agent = { identity, decoder };
