import type { Agent } from "../agent.ts";
import { copilot as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const copilot: Agent = { identity, decoder };
