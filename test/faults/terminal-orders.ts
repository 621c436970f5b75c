export interface TerminalOrders {
  readonly texts: string;
  /** Number of texts that are also passed as arguments. */
  readonly asArguments: number;
}

/** Separates outputs and names the command. */
export const MARK = "\n=====";
