/** OSC 52: asks the terminal to copy the text. Terminals do not report whether they did. */
export function clipboardSequence(text: string): string {
  return `\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`;
}

/** The Linux console has no clipboard and would print part of the sequence. */
export function offersClipboard({ TERM }: NodeJS.ProcessEnv): boolean {
  return TERM !== undefined && TERM !== "linux" && TERM !== "dumb";
}
