import type { Agent } from "../agent.ts";
import { kilo as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const kilo: Agent = { identity, decoder };
