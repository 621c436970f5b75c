import * as z from "zod/mini";
import { parseInput, type Read } from "./input.ts";

const input = z.strictObject({ propose: z.nullish(z.string()) });

/** What the plan tool is called with: the text of a plan, or nothing. */
export function readPlanInput(given: unknown): Read<z.infer<typeof input>> {
  return parseInput(input, given);
}
