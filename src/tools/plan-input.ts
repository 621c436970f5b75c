import * as z from "zod/mini";
import { parseInput, type Read } from "./input.ts";

const input = z.strictObject({ propose: z.nullish(z.string()) });

/** Parses the input of the plan tool: a plan to propose, or nothing. */
export function readPlanInput(given: unknown): Read<z.infer<typeof input>> {
  return parseInput(input, given);
}
