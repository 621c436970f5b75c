import type { Agent } from "../agent.ts";
import { pi as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const pi: Agent = { identity, decoder };
