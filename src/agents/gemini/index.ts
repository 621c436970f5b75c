import type { Agent } from "../agent.ts";
import { gemini as decoder } from "./decoder.ts";
import { hooks } from "./hooks.ts";
import { identity } from "./identity.ts";
import { setup } from "./setup.ts";

export const gemini: Agent = { identity, decoder, hooks, setup };
