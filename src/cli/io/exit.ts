/** What the program ends with. */
export const EXIT = {
  fine: 0,
  /** The answer is no: refused, or not there. */
  no: 1,
  usage: 2,
  environment: 3,
} as const;

export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** The command line itself cannot be carried out. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** The answer is no, in words. */
export class NoAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NoAnswer";
  }
}
