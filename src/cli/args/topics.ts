import { ENVIRONMENT } from "../environment.ts";
import { EXIT_CODES } from "../io/exit.ts";

export interface Topic {
  readonly summary: string;
  readonly description: string;
  readonly rows: readonly (readonly [string, string])[];
}

/** Subjects of `waymark help TOPIC` that are not commands. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  environment: {
    summary: "Environment variables that Waymark reads",
    description:
      "Waymark reads these environment variables. Most are settings that `waymark config set` writes to a file, under the name without WAYMARK_: max-todos is WAYMARK_MAX_TODOS. A variable wins over the files.",
    rows: ENVIRONMENT.map((variable) => [
      variable.name,
      variable.default === undefined
        ? variable.summary
        : `${variable.summary} (default: ${variable.default})`,
    ]),
  },
  "exit-codes": {
    summary: "Exit codes and what they mean",
    description: "Waymark exits with one of these codes.",
    rows: EXIT_CODES.map(({ code, meaning }) => [String(code), meaning]),
  },
};
