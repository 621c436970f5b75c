import type { Agent } from "../agent.ts";
import { decoderOf } from "./decoder.ts";
import { TABLE } from "./table.ts";

/** The agents of the table. A row declares an identity and a decoder. */
export const tableAgents: readonly Agent[] = TABLE.map((row) => {
  const { id, name, code, basis, program } = row;
  return { identity: { id, name, code, basis, ...program }, decoder: decoderOf(row) };
});
