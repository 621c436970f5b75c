import type { Agent } from "../agent.ts";
import { codex as decoder } from "./decoder.ts";
import { hooks } from "./hooks.ts";
import { identity } from "./identity.ts";
import { setup } from "./setup.ts";

export const codex: Agent = { identity, decoder, hooks, setup };
