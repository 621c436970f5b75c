import type { Agent } from "../agent.ts";
import { opencode as decoder } from "./decoder.ts";
import { hooks } from "./hooks.ts";
import { identity } from "./identity.ts";
import { setup } from "./setup.ts";

export const opencode: Agent = { identity, decoder, hooks, setup };
