/** A terminal as small as the display needs it; anything else that is written to it is an error. */
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
            // The cursor cannot leave the screen: what scrolled away stays as it is.
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
    /** Everything that was ever shown and is not overwritten, without the space at the ends. */
    text: () =>
      lines
        .map((line) => line.trimEnd())
        .join("\n")
        .trimEnd(),
    /** How far the cursor ever went up. */
    highest: () => highest,
  };
}
