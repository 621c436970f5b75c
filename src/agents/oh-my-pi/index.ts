import type { Agent } from "../agent.ts";
import { ohMyPi as decoder } from "./decoder.ts";
import { identity } from "./identity.ts";

export const ohMyPi: Agent = { identity, decoder };
