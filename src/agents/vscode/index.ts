import type { Agent } from "../agent.ts";
import { decoderOf } from "../table/decoder.ts";
import { identity } from "./identity.ts";
import { row } from "./row.ts";

export const vscode: Agent = { identity, decoder: decoderOf(row) };
