/** A token of an SQL text. */
export type Token =
  | { readonly type: "word"; readonly value: string }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "number"; readonly value: string }
  | { readonly type: "sign"; readonly value: string };

const SPACE = /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const STRING = /'((?:[^']|'')*)'/y;
/** SQLite accepts names in double quotes, backticks and brackets. */
const QUOTED = /"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]/y;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const NUMBER = /\d+(?:\.\d+)?/y;
const SIGN = /<>|!=|==|<=|>=|\|\||[\s\S]/y;

/** Splits SQL into statements, and each of them into tokens. Undefined if a string has no end. */
export function statementsIn(sql: string): readonly (readonly Token[])[] | undefined {
  const statements: Token[][] = [];
  let current: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(sql);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < sql.length) {
    if (take(SPACE)) continue;
    const text = take(STRING);
    if (text) {
      current.push({ type: "string", value: (text[1] ?? "").replaceAll("''", "'") });
      continue;
    }
    const name = take(QUOTED);
    if (name) {
      const [, double, backtick, bracket = ""] = name;
      const value = double?.replaceAll('""', '"') ?? backtick?.replaceAll("``", "`") ?? bracket;
      current.push({ type: "word", value });
      continue;
    }
    const word = take(WORD);
    if (word) {
      current.push({ type: "word", value: word[0] });
      continue;
    }
    const digits = take(NUMBER);
    if (digits) {
      current.push({ type: "number", value: digits[0] });
      continue;
    }
    const [sign = ""] = take(SIGN) ?? [];
    if (sign === "'" || sign === '"' || sign === "`") return undefined;
    if (sign !== ";") current.push({ type: "sign", value: sign });
    else if (current.length > 0) {
      statements.push(current);
      current = [];
    }
  }
  if (current.length > 0) statements.push(current);
  return statements;
}
