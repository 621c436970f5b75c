import { UsageError } from "../../core/error.ts";
import {
  readSituations,
  SITUATION_NAMES,
  type Situation,
  situationsFromEnv,
} from "../../core/guidance/situation.ts";

/** For commands that restrict when an agent may write its list. */
export const OFF_IN_OPTION = {
  type: "string",
  value: "NAMES",
  summary: `Refuse list writes during these operations, comma-separated: ${SITUATION_NAMES.join(", ")}`,
  default: "WAYMARK_OFF_IN",
  completions: SITUATION_NAMES,
} as const;

/** The value of the option, or of `WAYMARK_OFF_IN`. */
export function offIn(
  given: string | undefined,
  env: NodeJS.ProcessEnv = {},
): readonly Situation[] {
  if (given === undefined) return situationsFromEnv(env);
  const situations = readSituations(given);
  if (situations) return situations;
  throw new UsageError(
    `Invalid --off-in "${given.slice(0, 40)}". Use ${SITUATION_NAMES.join(", ")} or both.`,
  );
}
