/** A command of a page, with the output that the page shows for it. */
export interface Command {
  readonly script: string;
  /** The output on the page; undefined where the page shows none. */
  readonly shown: string | undefined;
  readonly status: number;
  /** Hidden commands prepare what the page takes for granted. */
  readonly isHidden: boolean;
}

/** A part of a page: commands to run, or text that stays as it is. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "skipped"; readonly text: string; readonly reason: string }
  | {
      readonly kind: "commands";
      readonly text: string;
      readonly isConsole: boolean;
      readonly commands: readonly Command[];
    };

const PART =
  /(?:^<!--\s*(?<note>not run|exit|run):?\s*(?<value>[\s\S]*?)\s*-->\n+)?(?:^```(?<language>sh|console)\n(?<code>[\s\S]*?)^```$)?/gm;

/**
 * Splits a page at its `sh` and `console` blocks. A comment above a block says how to treat it:
 * `<!-- not run: REASON -->`, `<!-- exit: 1 -->` for a command that fails, and
 * `<!-- run: COMMANDS -->` for commands that readers do not see.
 */
export function partsOf(page: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of page.matchAll(PART)) {
    const [whole] = match;
    const { note, value = "", language, code = "" } = match.groups ?? {};
    if (whole === "" || (note === undefined && language === undefined)) continue;
    parts.push({ kind: "text", text: page.slice(end, match.index) });
    end = match.index + whole.length;
    if (note === "not run") {
      parts.push({ kind: "skipped", text: whole, reason: value });
      continue;
    }
    const hidden = note === "run" ? commandsIn(value, 0, true) : [];
    const status = note === "exit" ? Number(value) : 0;
    const isConsole = language === "console";
    const shown = isConsole ? consoleCommands(code, status) : commandsIn(code, status, false);
    parts.push({ kind: "commands", text: whole, isConsole, commands: [...hidden, ...shown] });
  }
  parts.push({ kind: "text", text: page.slice(end) });
  return parts;
}

/** The commands of a script, each with the lines that belong to it. */
function commandsIn(script: string, status: number, isHidden: boolean): Command[] {
  const commands: Command[] = [];
  let lines: string[] = [];
  for (const line of script.split("\n")) {
    if (lines.length === 0 && /^\s*(?:#.*)?$/.test(line)) continue;
    lines.push(line);
    if (!isComplete(lines)) continue;
    commands.push({ script: lines.join("\n"), shown: undefined, status, isHidden });
    lines = [];
  }
  if (lines.length > 0) throw new Error(`A command does not end: ${lines.join("\n")}`);
  return commands;
}

/** Whether the lines are a whole command: no open quote, here-document or continuation. */
function isComplete(lines: readonly string[]): boolean {
  const script = lines.join("\n");
  const [, word] = /<<'?(\w+)'?/.exec(lines[0] ?? "") ?? [];
  if (word !== undefined) return lines.at(-1) === word;
  if (/(?:\\|\||&&)$/.test(lines.at(-1) ?? "")) return false;
  return (script.match(/'/g)?.length ?? 0) % 2 === 0;
}

/** `$ ` begins a command, `> ` continues it, everything else is output. */
function consoleCommands(code: string, status: number): Command[] {
  const commands: { script: string; shown: string[] }[] = [];
  for (const line of code.replace(/\n$/, "").split("\n")) {
    const last = commands.at(-1);
    if (line.startsWith("$ ")) commands.push({ script: line.slice(2), shown: [] });
    else if (line.startsWith("> ") && last?.shown.length === 0) last.script += `\n${line.slice(2)}`;
    else if (last) last.shown.push(line);
    else throw new Error(`Output without a command: ${line}`);
  }
  return commands.map(({ script, shown }) => ({
    script,
    shown: shown.join("\n"),
    status,
    isHidden: false,
  }));
}

/** A console block as the page shows it. */
export function consoleBlock(
  commands: readonly { readonly script: string; readonly output: string }[],
): string {
  const lines = commands.flatMap(({ script, output }) => [
    `$ ${script.replaceAll("\n", "\n> ")}`,
    ...(output === "" ? [] : [output]),
  ]);
  return `\`\`\`console\n${lines.join("\n")}\n\`\`\``;
}

const VOLATILE: readonly [RegExp, string][] = [
  [/\b\d{4}([-/])\d\d\1\d\d(?:[T ][\d:.-]+Z?)?/g, "DATE"],
  [/^\d{1,2} [A-Z][a-z]{2} \d{4}\n/gm, ""],
  [/\bshop-[0-9a-f]{6}\b/g, "shop-HASH"],
  [/\b(?:[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} )?\d\d:\d\d(?::\d\d)?\b/g, "CLOCK"],
  [/\b1\d{12}\b/g, "MILLISECONDS"],
  [/(?<![\w.])\d+(?:\.\d+)?(?:ms|s|m|h|d)(?: \d+(?:s|m|h))?(?!\w)/g, "TIME"],
  [/127\.0\.0\.1:\d+/g, "ADDRESS"],
  [/\b[\w-]{30,}\b/g, "TOKEN"],
  [/\b[0-9a-f]{8}\.\d+\b/g, "POSITION"],
  [/\bwaymark-[a-z0-9]{8,}\b/g, "TAG"],
  [/[⠁-⣿]/g, "SPINNER"],
];

/** Output without what differs from run to run: times, ports, tokens, and the width of columns. */
function steady(text: string): string {
  return VOLATILE.reduce((result, [pattern, name]) => result.replace(pattern, name), text)
    .replace(/[ \t]+/g, " ")
    .replace(/ $/gm, "")
    .trim();
}

const ELIDED = "…";

/** A pattern for lines of a page. `…` stands for any text, on a line of its own for any lines. */
function patternOf(lines: readonly string[]): RegExp {
  const pattern = lines
    .map((line) =>
      line.trim() === ELIDED
        ? "(?:[^\\n]*\\n)*[^\\n]*"
        : line
            .split(ELIDED)
            .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
            .join("[^\\n]*"),
    )
    .join("\\n");
  return new RegExp(`^${pattern}$`);
}

/** Whether the output is what the page shows. */
export function isShown(shown: string, output: string): boolean {
  return patternOf(steady(shown).split("\n")).test(steady(output));
}

/** The output for a page that showed `shown`: lines that the page left out stay left out. */
export function shortened(shown: string, output: string): string {
  const wanted = shown.split("\n");
  if (!wanted.includes(ELIDED)) return output;
  const lines = output.split("\n");
  const kept = new Map<number, string>();
  let from = 0;
  for (const line of wanted.filter((each) => each !== ELIDED)) {
    const scores = lines.map((each, n) => (n < from ? 0 : likeness(line, each)));
    const best = Math.max(...scores);
    if (best < ENOUGH) continue;
    const found = scores.indexOf(best);
    const isSame =
      line.includes(ELIDED) && patternOf([steady(line)]).test(steady(lines[found] ?? ""));
    kept.set(found, isSame ? line : (lines[found] ?? ""));
    from = found + 1;
  }
  return lines
    .map((_, n) => kept.get(n) ?? ELIDED)
    .filter((line, n, all) => line !== ELIDED || all[n - 1] !== ELIDED)
    .join("\n");
}

const ENOUGH = 0.4;

/** How many words two lines have in common, from 0 to 1. */
function likeness(one: string, other: string): number {
  if (patternOf([steady(one)]).test(steady(other))) return 1;
  const words = (text: string) => new Set(steady(text).match(/\w+|[^\w\s]/g));
  const [a, b] = [words(one), words(other)];
  const common = [...a].filter((word) => b.has(word)).length;
  return common / Math.max(1, a.size, b.size);
}
