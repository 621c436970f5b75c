/** Exit codes of the program. Ctrl+C ends it by its signal, which shells report as 130. */
export const EXIT = {
  success: 0,
  /** The command ran and the answer is no. */
  failure: 1,
  usage: 2,
  environment: 3,
} as const;

export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** The table of `waymark help exit-codes` and of the CLI reference. */
export const EXIT_CODES: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: EXIT.success, meaning: "Success" },
  { code: EXIT.failure, meaning: "The answer is no: refused, not found, or a problem was found" },
  { code: EXIT.usage, meaning: "Usage error: unknown command, option or value" },
  {
    code: EXIT.environment,
    meaning: "Environment error: file system, locked or unreachable store",
  },
  { code: 130, meaning: "Interrupted with Ctrl+C" },
];
