import type { Agent } from "../agent.ts";
import { dialectOf } from "./decoder.ts";
import { TABLE } from "./table.ts";

/** The agents of the table: a row is an identity and a decoder. */
export const tableAgents: readonly Agent[] = TABLE.map((row) => {
  const { id, name, code, proof } = row;
  return { identity: { id, name, code, proof }, decoder: dialectOf(row) };
});
