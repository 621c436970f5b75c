import type { Call } from "./args/command.ts";
import { isTty } from "./io/terminal.ts";

/** Somebody looks at a terminal that can be drawn on, and can press keys. */
export function showsBoards({ terminal, env }: Pick<Call, "terminal" | "env">): boolean {
  return terminal.isTty && isTty(0) && env.TERM !== "dumb";
}
