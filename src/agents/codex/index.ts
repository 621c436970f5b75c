import type { Agent } from "../agent.ts";
import { codex as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const codex: Agent = { identity, decoder };
