/** A rule of a Makefile: its targets and what they need. */
export const TARGET = /^@?([\w./%-]+(?: +[\w./%-]+){0,8})(?: +[^:=\n]{0,80})?\s*::?(?!=)([^=\n]*)$/;

/** The target that each line of a Makefile belongs to. */
export function targetsByLine(text: string): readonly (string | undefined)[] {
  let target: string | undefined;
  return text.split("\n").map((line) => {
    if (/^\S/.test(line))
      target = TARGET.exec(line)?.[1] ?? (line.startsWith("#") ? target : undefined);
    return target;
  });
}
