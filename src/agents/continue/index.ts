import type { Agent } from "../agent.ts";
import { continueCli as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const continueCli: Agent = { identity, decoder };
