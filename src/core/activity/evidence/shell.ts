/**
 * Parses enough shell syntax to find the simple commands of a line and whether the exit code of the
 * line is theirs. Constructs that it does not understand make no command decisive.
 */

/** One command of a shell line. */
export interface SimpleCommand {
  readonly words: readonly string[];
  /** Files that it writes with `>` or `>>`. */
  readonly writes: readonly string[];
  /** Whether the line fails if this command fails. */
  readonly decisive: boolean;
}

type Token =
  | { readonly kind: "word"; readonly text: string; readonly quoted: boolean }
  | { readonly kind: "op"; readonly text: string }
  | { readonly kind: "write"; readonly text: string };

const OPERATORS = ["&&", "||", ";;", "|&", ";", "|", "&", "\n", "(", ")"];
const REDIRECT = /^(?:\d*|&)(>>|>\||>|<<<|<<-?|<>|<)(?:&(?:\d+|-))?/;
const COMPOUND = new Set(
  "if then elif else fi for while until do done case esac select function { } [[ ! coproc".split(
    " ",
  ),
);

interface Chained {
  readonly words: readonly string[];
  readonly writes: readonly string[];
  /** The operator after it; empty at the end of the line. */
  after: string;
}

/** The simple commands of a line, in order. In a line with compound commands, none is decisive. */
export function simpleCommands(line: string): readonly SimpleCommand[] {
  const { commands, compound } = chainedCommands(tokenize(withoutHeredocs(line)));
  const sets = commands.filter(({ words }) => words[0] === "set");
  const stops = sets.some(({ words }) => isStrict(words.slice(1)));
  const pipes = sets.some(({ words }) => words.includes("pipefail"));
  const passes = (after: string) =>
    after === "" ||
    after === "&&" ||
    (stops && (after === ";" || after === "\n")) ||
    (pipes && (after === "|" || after === "|&"));
  // The exit codes from this command on reach the line.
  const from = commands.findLastIndex(({ after }) => !passes(after)) + 1;
  return commands.map(({ words, writes }, index) => ({
    words,
    writes,
    decisive: !compound && index >= from && commands[index - 1]?.after !== "||",
  }));
}

/** Splits tokens into commands. Groups are flattened: their operator applies to each of their commands. */
function chainedCommands(tokens: readonly Token[]): { commands: Chained[]; compound: boolean } {
  const commands: Chained[] = [];
  let words: string[] = [];
  let writes: string[] = [];
  let compound = false;
  const end = (after: string) => {
    const last = commands.at(-1);
    if (words.length > 0) commands.push({ words, writes, after });
    else if (last?.after === ")" && after !== "(") last.after = after;
    else if (!["", "(", ")", ";", "\n"].includes(after)) compound = true;
    words = [];
    writes = [];
  };
  for (const token of tokens) {
    if (token.kind === "write") writes.push(token.text);
    else if (token.kind === "op") {
      if (token.text === "(" && words.length > 0) compound = true;
      end(token.text);
    } else if (words.length === 0 && !token.quoted && COMPOUND.has(token.text)) compound = true;
    else words.push(token.text);
  }
  end("");
  const last = commands.at(-1);
  if (last && [")", ";", "\n"].includes(last.after)) last.after = "";
  return { commands, compound };
}

function isStrict(options: readonly string[]): boolean {
  return options.some((option) => /^-[a-z]*e/.test(option)) || options.includes("errexit");
}

const CODE =
  /\\[\s\S]|'[^']*'?|"|<<<|<<(-?)[ \t]*(?:\\?([A-Za-z_][\w.-]*)|'([^'\n]*)'|"([^"\n]*)")|(?<![^\s;&|()])#[^\n]*|\$?\(\(?|\)|\n/g;
const IN_QUOTES = /\\[\s\S]|"|\$\(\(?/g;

/** Removes here-documents: from the line after `<<WORD` to the line `WORD`. Quotes, comments and arithmetic have none. */
function withoutHeredocs(line: string): string {
  /** The open double quotes and parentheses; two for `((`. */
  const open: string[] = [];
  let ends: { word: string; tabs: boolean }[] = [];
  let kept = "";
  let from = 0;
  let at = 0;
  for (;;) {
    const outer = open.at(-1);
    const syntax = outer === '"' ? IN_QUOTES : CODE;
    syntax.lastIndex = at;
    const found = syntax.exec(line);
    if (!found) return (kept + line.slice(from)).trimEnd();
    at = syntax.lastIndex;
    const [token, dash, ...words] = found;
    const word = words.find((each) => each !== undefined);
    if (token === '"' && outer === '"') open.pop();
    else if (token === '"') open.push('"');
    else if (token === ")") open.pop();
    else if (token.endsWith("((")) open.push("((", "((");
    else if (token.endsWith("(")) open.push(token === "(" && outer === "((" ? "((" : "(");
    else if (word !== undefined && outer !== "((") ends.push({ word, tabs: dash === "-" });
    else if (token === "\n" && ends.length > 0) {
      kept += line.slice(from, at);
      for (const end of ends) at = afterHeredoc(line, at, end);
      ends = [];
      from = at;
    }
  }
}

function afterHeredoc(line: string, from: number, end: { word: string; tabs: boolean }): number {
  for (let at = from; at < line.length; ) {
    const next = line.indexOf("\n", at) + 1 || line.length;
    const each = line.slice(at, next).replace(/\r?\n$/, "");
    if ((end.tabs ? each.replace(/^\t+/, "") : each) === end.word) return next;
    at = next;
  }
  return line.length;
}

function tokenize(line: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < line.length) {
    const rest = line.slice(at, at + 64);
    const blank = /^(?:[ \t\r]+|\\\n)/.exec(rest);
    if (blank) {
      at += blank[0].length;
      continue;
    }
    if (rest.startsWith("#")) {
      const end = line.indexOf("\n", at);
      at = end === -1 ? line.length : end;
      continue;
    }
    const redirect = REDIRECT.exec(rest);
    if (redirect) {
      at += redirect[0].length;
      if (/&(?:\d+|-)$/.test(redirect[0])) continue;
      while (line[at] === " " || line[at] === "\t") at++;
      const target = readWord(line, at);
      at = target.end;
      if (redirect[1]?.startsWith(">")) tokens.push({ kind: "write", text: target.text });
      continue;
    }
    const operator = OPERATORS.find((op) => rest.startsWith(op));
    if (operator !== undefined) {
      tokens.push({ kind: "op", text: operator });
      at += operator.length;
      continue;
    }
    const word = readWord(line, at);
    tokens.push({ kind: "word", text: word.text, quoted: word.quoted });
    at = Math.max(word.end, at + 1);
  }
  return tokens;
}

function readWord(line: string, from: number): { text: string; end: number; quoted: boolean } {
  let text = "";
  let at = from;
  let quoted = false;
  while (at < line.length) {
    const next = line[at] ?? "";
    if (/[\s;|&()<>]/.test(next)) break;
    if (next === "'" || next === '"') {
      quoted = true;
      const end = closing(line, at, next);
      const inside = line.slice(at + 1, end);
      text += next === "'" ? inside : inside.replace(/\\(["\\$`])/g, "$1");
      at = end + 1;
    } else if (next === "\\") {
      if (line[at + 1] !== "\n") text += line[at + 1] ?? "";
      at += 2;
    } else if (next === "$" && line[at + 1] === "(") {
      const end = parenthesis(line, at + 1);
      text += line.slice(at, end);
      at = end;
    } else {
      text += next;
      at++;
    }
  }
  return { text, end: at, quoted };
}

function closing(line: string, from: number, quote: string): number {
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] === "\\" && quote === '"') at++;
    else if (line[at] === quote) return at;
  }
  return line.length;
}

function parenthesis(line: string, from: number): number {
  let depth = 0;
  for (let at = from; at < line.length; at++) {
    if (line[at] === "(") depth++;
    if (line[at] === ")") depth--;
    if (depth === 0) return at + 1;
  }
  return line.length;
}
