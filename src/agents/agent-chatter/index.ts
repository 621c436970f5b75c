import type { Agent } from "../agent.ts";
import { agentChatter as decoder } from "./decoder.ts";
import { agentChatterEvent } from "./encode.ts";
import { identity } from "./identity.ts";

export const agentChatter: Agent = { identity, decoder, encode: agentChatterEvent };
