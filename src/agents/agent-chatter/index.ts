import type { Agent } from "../agent.ts";
import { agentChatter as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";
import { agentChatterEvent } from "./write.ts";

export const agentChatter: Agent = { identity, decoder, encode: agentChatterEvent };
