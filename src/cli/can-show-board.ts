import type { Call } from "./args/command.ts";
import { isTty } from "./io/terminal.ts";

/** Whether input and output are a terminal that can be drawn on. */
export function canShowBoard({ terminal, env }: Pick<Call, "terminal" | "env">): boolean {
  return terminal.isTty && isTty(0) && env.TERM !== "dumb";
}
