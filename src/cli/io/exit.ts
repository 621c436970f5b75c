/** What the program ends with. */
export const EXIT = {
  fine: 0,
  /** The answer is no: refused, or not there. */
  no: 1,
  usage: 2,
  environment: 3,
} as const;

export type Exit = (typeof EXIT)[keyof typeof EXIT];
