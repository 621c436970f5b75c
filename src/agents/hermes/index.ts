import type { Agent } from "../agent.ts";
import { hermes as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const hermes: Agent = { identity, decoder };
