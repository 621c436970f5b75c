import type { Agent } from "../agent.ts";
import { langchain as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const langchain: Agent = { identity, decoder };
