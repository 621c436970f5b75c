export interface TerminalOrders {
  readonly texts: string;
  /** How many of the texts are also given as arguments. */
  readonly asArguments: number;
}

/** Between two outputs: which command it was. */
export const MARK = "\n=====";
