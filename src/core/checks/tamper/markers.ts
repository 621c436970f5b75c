import type { Found, Marker } from "./find/found.ts";
import type { Language } from "./languages.ts";
import { type Source, squeezed } from "./source.ts";

const CONDITION_BEFORE = /(?:\bif\b[^\n]{0,200}|&&\s*|\?\s*)$/;

/** Calls inside a test that skip it, and a `return` as its first statement. */
const SKIP_CALLS: Readonly<Record<Language, RegExp>> = {
  js: /(?<![\w$.])(?:this|t|ctx|context|test|it)\.(skip|todo|fixme)\s*\(/g,
  python:
    /(?<![\w.])(?:pytest\.(?:skip|xfail|importorskip)|self\.skipTest|(?:raise\s+)?unittest\.SkipTest|raise\s+SkipTest)\s*\(/g,
  go: /(?<!\w)(?:t|b|tb|f)\.Skip(?:f|Now)?\s*\(/g,
  rust: /(?!)/g,
  jvm: /(?<!\w)(?:assumeTrue\s*\(\s*false|assumeFalse\s*\(\s*true|XCTSkip\w*\s*\(|throw\s+XCTSkip)/g,
  csharp: /(?<!\w)(?:Assert\.(?:Ignore|Inconclusive|Skip)|Skip\.If)\s*\(/g,
  ruby: /^[ \t]*(?:skip|pending)(?=[\s(]|$)/gm,
  php: /->(?:markTestSkipped|markTestIncomplete)\s*\(/g,
  sh: /^[ \t]*(?:skip(?= |$)|exit 0\b(?=.*\r?\n[\s\S]))/gm,
};

export function callMarkers(
  source: Source,
  language: Language,
  from: number,
  to: number,
): Marker[] {
  const { code } = source;
  const markers: Marker[] = [];
  const pattern = new RegExp(SKIP_CALLS[language].source, SKIP_CALLS[language].flags);
  pattern.lastIndex = from;
  for (let call = pattern.exec(code); call && call.index < to; call = pattern.exec(code)) {
    const offset = call.index + (/^\s*/.exec(call[0])?.[0].length ?? 0);
    markers.push({ type: "skip", offset, conditional: isConditional(source, offset, from) });
  }
  return markers;
}

export function bodyMarkers(
  source: Source,
  language: Language,
  from: number,
  to: number,
): Marker[] {
  const { code } = source;
  const markers = callMarkers(source, language, from, to);
  const first = /^[\s{]*(?:(?:#|\/\/)[^\n]*\n\s*)*(return\b;?|if \(?true\)?:? *\{? *return\b)/.exec(
    code.slice(from, Math.min(to, from + 2_000)),
  );
  if (first && language !== "sh") {
    const offset = from + first[0].length - (first[1]?.length ?? 0);
    const rest = code.slice(from + first[0].length, to);
    const statement = /^[^\n;}]*/.exec(rest)?.[0] ?? "";
    // `return value` of a test is how promises are awaited.
    if (/^[\s;]*$/.test(statement) && /\w/.test(rest.slice(statement.length)))
      markers.push({ type: "skip", offset, conditional: false });
  }
  return markers;
}

/** Whether the statement, or the block that it is in, follows a condition that is not a constant. */
function isConditional({ code }: Source, offset: number, from: number): boolean {
  const lineStart = code.lastIndexOf("\n", offset - 1) + 1;
  const line = code.slice(Math.max(lineStart, from), offset);
  const before = code.slice(Math.max(from, lineStart - 300), lineStart).trimEnd();
  const above = before.slice(before.lastIndexOf("\n") + 1);
  const isOpen =
    /[{:]$|\bthen$|\bdo$/.test(above) && /\b(?:if|unless|else|except|rescue)\b/.test(above);
  const condition = CONDITION_BEFORE.test(line.slice(-300)) ? line : isOpen ? above : undefined;
  return (
    condition !== undefined &&
    !/\bif ?\(? ?(?:true|True|1|!false|not False) ?\)? ?(?:[{:]|then|$)/.test(squeezed(condition))
  );
}

const SWALLOWS =
  /\bexcept(?:[^\S\n]+\(?(?:AssertionError|Exception|BaseException)[^\n:]{0,60})?:\s*pass\b|\bcatch(?:\s*\(\s*\w*[^)\n]{0,60}\))?\s*\{\s*\}|\.catch\s*\(\s*(?:\(\s*(?:\w+\s*)?\)|\w+)\s*=>\s*\{\s*\}\s*\)|\brescue\b[^\n]{0,60}\n\s*(?:nil[^\S\n]*\n\s*)?end|contextlib\.suppress\s*\(\s*(?:AssertionError|Exception)/g;

export function swallowedAt({ code }: Source, from: number, to: number): number | undefined {
  const pattern = new RegExp(SWALLOWS.source, "g");
  pattern.lastIndex = from;
  const found = pattern.exec(code);
  return found && found.index < to ? found.index : undefined;
}

export function fileMarkers(source: Source, language: Language, found: readonly Found[]): Marker[] {
  const markers: Marker[] = [];
  const { raw, code } = source;
  const add = (pattern: RegExp, text: string, conditional: boolean) => {
    for (const match of text.matchAll(pattern)) {
      const offset = match.index + (/^\s*/.exec(match[0])?.[0].length ?? 0);
      if (!found.some(({ from, to }) => offset >= from && offset < to))
        markers.push({ type: "skip", offset, conditional });
    }
  };
  if (language === "go") {
    // Build constraints are comments before the package clause.
    const head = raw.slice(0, Math.max(0, /^package /m.exec(code)?.index ?? 0));
    add(/^\/\/(?:go:build| \+build) +[^\n]+/gm, head, true);
  }
  if (language === "python") {
    add(/^pytestmark\s*=.*\b(?:skip|xfail)(?!if)\b/gm, code, false);
    add(/^pytestmark\s*=.*\bskipif\b/gm, code, true);
    add(/^(?:pytest\.skip|raise\s+(?:unittest\.)?SkipTest)\s*\(/gm, code, false);
  }
  if (language === "rust") add(/^[ \t]*#!\[cfg\(.*\)\]/gm, code, true);
  return markers;
}
