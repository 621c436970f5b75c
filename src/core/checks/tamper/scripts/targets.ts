const RULE = /^@?([\w./%-]+(?: [\w./%-]+){0,8})(?: [^:=\n]{0,80})?\s*::?(?!=)([^=\n]*)$/;

/** A rule of a Makefile: its targets and what they need. */
export function ruleOf(line: string): RegExpExecArray | null {
  return RULE.exec(line.replace(/ {2,}/g, " "));
}

/** The target that each line of a Makefile belongs to. */
export function targetsByLine(text: string): readonly (string | undefined)[] {
  let target: string | undefined;
  return text.split("\n").map((line) => {
    if (/^\S/.test(line)) target = ruleOf(line)?.[1] ?? (line.startsWith("#") ? target : undefined);
    return target;
  });
}
