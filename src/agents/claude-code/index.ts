import type { Agent } from "../agent.ts";
import { claudeCode as decoder } from "./decoder.ts";
import { hooks } from "./hooks.ts";
import { identity } from "./identity.ts";
import { setup } from "./setup.ts";
import { taskFiles } from "./task-files.ts";

export const claudeCode: Agent = { identity, decoder, hooks, setup, taskFiles };
