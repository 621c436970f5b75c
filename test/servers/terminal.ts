/** A minimal terminal emulator; it throws on sequences that the display does not use. */
export function fakeTerminal(columns: number, rows: number) {
  const lines: string[] = [""];
  let row = 0;
  let column = 0;
  let highest = 0;

  const put = (character: string): void => {
    if (column >= columns) newLine();
    const line = [...(lines[row] ?? "").padEnd(column)];
    line[column] = character;
    lines[row] = line.join("");
    column++;
  };
  const newLine = (): void => {
    row++;
    column = 0;
    lines[row] ??= "";
  };
  const SEQUENCE = /^\x1b\[(?:(\d+)A|(2K)|[0-9;]*m)/;

  return {
    size: () => ({ columns, rows }),
    write(text: string): void {
      for (let rest = text; rest !== ""; ) {
        const found = SEQUENCE.exec(rest);
        if (found) {
          const [whole, up, clear] = found;
          if (up !== undefined) {
            // The cursor cannot leave the screen: lines in the scrollback do not change.
            const top = Math.max(0, lines.length - rows);
            row = Math.max(top, row - Number(up));
            highest = Math.max(highest, Number(up));
          }
          if (clear !== undefined) lines[row] = "";
          rest = rest.slice(whole.length);
          continue;
        }
        const [character = ""] = rest;
        const code = character.codePointAt(0) ?? 0;
        if (character === "\n") newLine();
        else if (character === "\r") column = 0;
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
          throw new Error(`control character ${JSON.stringify(rest.slice(0, 20))}`);
        else put(character);
        rest = rest.slice(character.length);
      }
    },
    /** The screen with its scrollback, without trailing spaces. */
    text: () =>
      lines
        .map((line) => line.trimEnd())
        .join("\n")
        .trimEnd(),
    /** The most lines that the cursor moved up. */
    highest: () => highest,
  };
}
