/** A token of JavaScript source, in enough detail to locate calls. */
export interface Token {
  readonly kind: "name" | "text" | "mark" | "line";
  readonly text: string;
  /** The offset after it. */
  readonly end: number;
}

/** Created on demand: Unicode property escapes are slow to compile, and most runs never need them. */
function piecePattern(): RegExp {
  return /(\n)|[^\S\n]+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|([\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)|(\d[\w.]*)|("(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?)|(\?\.(?!\d)|=>|&&|\|\||\?\?|[\s\S])/uy;
}

/** Keywords after which a slash starts a regular expression, not a division. */
const BEFORE_PATTERN = new Set(["return", "typeof", "case", "in", "of", "await", "else", "do"]);
/** Bounded, so that an unmatched slash does not scan the rest of the source. */
const PATTERN = /\/(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,400}\/\w*/y;

/** Yields the tokens of a source. The contents of strings, comments and regular expressions are skipped. */
export function* tokensOf(source: string): Generator<Token> {
  const piece = piecePattern();
  const substitutions: number[] = [];
  let depth = 0;
  let before: Token | undefined;
  let at = 0;
  while (at < source.length) {
    const inTemplate = source[at] === "`" || (source[at] === "}" && substitutions.at(-1) === depth);
    if (inTemplate) {
      if (source[at] === "}") substitutions.pop();
      const stop = templateEnd(source, at + 1);
      at = stop.end;
      if (stop.hasSubstitution) substitutions.push(depth);
      before = { kind: "text", text: "", end: at };
      yield before;
      continue;
    }
    if (source[at] === "/" && mayBePattern(before)) {
      PATTERN.lastIndex = at;
      const pattern = PATTERN.exec(source);
      if (pattern) {
        at += pattern[0].length;
        before = { kind: "text", text: "", end: at };
        yield before;
        continue;
      }
    }
    piece.lastIndex = at;
    const found = piece.exec(source);
    if (!found) return;
    at += found[0].length;
    const [, line, name, number, quoted, mark] = found;
    const token = tokenOf(line, name, number, quoted, mark, at);
    if (!token) continue;
    if (token.text === "{" && token.kind === "mark") depth++;
    if (token.text === "}" && token.kind === "mark") depth--;
    if (token.kind !== "line") before = token;
    yield token;
  }
}

function tokenOf(
  line: string | undefined,
  name: string | undefined,
  number: string | undefined,
  quoted: string | undefined,
  mark: string | undefined,
  end: number,
): Token | undefined {
  if (line !== undefined) return { kind: "line", text: line, end };
  if (name !== undefined) return { kind: "name", text: name, end };
  if (number !== undefined) return { kind: "text", text: "", end };
  if (quoted !== undefined) return { kind: "text", text: quoted.slice(1, -1), end };
  return mark === undefined ? undefined : { kind: "mark", text: mark, end };
}

function mayBePattern(before: Token | undefined): boolean {
  if (!before) return true;
  if (before.kind === "name") return BEFORE_PATTERN.has(before.text);
  return before.kind === "mark" && ![")", "]", "}"].includes(before.text);
}

/** The end of a template string part: at its quote, or at a substitution. */
function templateEnd(source: string, from: number): { end: number; hasSubstitution: boolean } {
  for (let at = from; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "`") return { end: at + 1, hasSubstitution: false };
    else if (source[at] === "$" && source[at + 1] === "{")
      return { end: at + 2, hasSubstitution: true };
  }
  return { end: source.length, hasSubstitution: false };
}
