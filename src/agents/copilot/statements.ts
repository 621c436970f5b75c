import type { Token } from "./tokens.ts";

/** A literal of a statement. */
export type Literal = string | null;

/** A condition on one column: its value is one of these, or none of them. */
export interface Condition {
  readonly column: string;
  readonly values: readonly Literal[];
  readonly isNot: boolean;
}

/** The effect of a statement on a table. All conditions must hold; without one, every row counts. */
export type Change =
  | {
      readonly type: "insert";
      readonly table: string;
      readonly conflict: "abort" | "ignore" | "replace";
      readonly rows: readonly Readonly<Record<string, Literal>>[];
    }
  | {
      readonly type: "update";
      readonly table: string;
      readonly set: Readonly<Record<string, Literal>>;
      readonly where: readonly Condition[];
    }
  | { readonly type: "delete"; readonly table: string; readonly where: readonly Condition[] };

/** The tables of the list. */
const TABLES: ReadonlySet<string> = new Set(["todos", "todo_deps"]);
/** Their columns that a list needs; the others have times. */
const COLUMNS: ReadonlySet<string> = new Set([
  "id",
  "title",
  "description",
  "status",
  "todo_id",
  "depends_on",
]);

/** Whether SQL may be about the list. */
export function concernsList(sql: string): boolean {
  return /\btodo(?:s|_deps)\b/i.test(sql);
}

/**
 * Reads a statement with literal values only. `none` if it cannot change the list, undefined if its effect cannot be
 * known from its text: expressions, subqueries, upserts, schema changes.
 */
export function changeOf(tokens: readonly Token[]): Change | "none" | undefined {
  const parser = parserOf(tokens);
  const verb = parser.word() ?? "";
  const named = tokens.some(
    ({ type, value }) => type === "word" && TABLES.has(value.toLowerCase()),
  );
  if (verb === "rollback" || verb === "savepoint" || verb === "release") return undefined;
  if (!named || verb === "select" || verb === "explain" || verb === "pragma") return "none";
  const change =
    verb === "insert" || verb === "replace"
      ? insert(parser, verb === "replace")
      : verb === "update"
        ? update(parser)
        : verb === "delete"
          ? remove(parser)
          : undefined;
  return change && parser.isDone() ? change : undefined;
}

type Parser = ReturnType<typeof parserOf>;

function parserOf(tokens: readonly Token[]) {
  let at = 0;
  const is = (type: Token["type"], value: string): boolean => {
    const token = tokens[at];
    return token?.type === type && token.value.toLowerCase() === value;
  };
  const skip = (type: Token["type"], value: string): boolean => {
    if (!is(type, value)) return false;
    at++;
    return true;
  };
  return {
    isDone: () => at >= tokens.length,
    /** Takes a word, in lower case. */
    word(): string | undefined {
      const token = tokens[at];
      if (token?.type !== "word") return undefined;
      at++;
      return token.value.toLowerCase();
    },
    keyword: (value: string) => skip("word", value),
    sign: (value: string) => skip("sign", value),
    /** Takes a literal; undefined for anything else. */
    literal(): Literal | undefined {
      if (skip("word", "null")) return null;
      const token = tokens[at];
      if (token?.type !== "string" && token?.type !== "number") return undefined;
      at++;
      return token.value;
    },
    /** Takes the current time, as a value of a column that a list does not need. */
    time(): boolean {
      if (skip("word", "current_timestamp")) return true;
      const before = at;
      const isCall =
        skip("word", "datetime") && skip("sign", "(") && skip("string", "now") && skip("sign", ")");
      if (!isCall) at = before;
      return isCall;
    },
  };
}

function tableOf(parser: Parser): string | undefined {
  const name = parser.word();
  const table = name === "main" && parser.sign(".") ? parser.word() : name;
  return table !== undefined && TABLES.has(table) ? table : undefined;
}

function insert(parser: Parser, isReplace: boolean): Change | undefined {
  let conflict: "abort" | "ignore" | "replace" = isReplace ? "replace" : "abort";
  if (!isReplace && parser.keyword("or")) {
    const given = parser.word();
    if (given !== "ignore" && given !== "replace" && given !== "abort") return undefined;
    conflict = given;
  }
  if (!parser.keyword("into")) return undefined;
  const table = tableOf(parser);
  const columns = table === undefined ? undefined : columnsOf(parser);
  if (table === undefined || !columns || !parser.keyword("values")) return undefined;
  const rows: Record<string, Literal>[] = [];
  do {
    if (!parser.sign("(")) return undefined;
    const row: Record<string, Literal> = {};
    for (const [index, column] of columns.entries()) {
      if (index > 0 && !parser.sign(",")) return undefined;
      const value = parser.literal();
      if (value === undefined) return undefined;
      row[column] = value;
    }
    if (!parser.sign(")")) return undefined;
    rows.push(row);
  } while (parser.sign(","));
  // Rows that break a rule of the table are left out silently.
  if (conflict === "ignore" && table === "todos" && !rows.every(isValid)) return undefined;
  return { type: "insert", table, conflict, rows };
}

const STATUSES: ReadonlySet<Literal> = new Set(["pending", "in_progress", "done", "blocked", null]);

function isValid({ title = null, status = "pending" }: Readonly<Record<string, Literal>>): boolean {
  return title !== null && STATUSES.has(status);
}

/** The columns in parentheses. Without them the order of the table counts, which the agent may change. */
function columnsOf(parser: Parser): readonly string[] | undefined {
  if (!parser.sign("(")) return undefined;
  const columns: string[] = [];
  do {
    const column = parser.word();
    if (column === undefined || !COLUMNS.has(column)) return undefined;
    columns.push(column);
  } while (parser.sign(","));
  return parser.sign(")") ? columns : undefined;
}

function update(parser: Parser): Change | undefined {
  const table = tableOf(parser);
  if (table === undefined || !parser.keyword("set")) return undefined;
  const set: Record<string, Literal> = {};
  do {
    const column = parser.word();
    if (column === undefined || !parser.sign("=")) return undefined;
    if (column === "updated_at" && (parser.time() || parser.literal() !== undefined)) continue;
    const value = COLUMNS.has(column) ? parser.literal() : undefined;
    if (value === undefined) return undefined;
    set[column] = value;
  } while (parser.sign(","));
  const where = conditions(parser);
  return where && { type: "update", table, set, where };
}

function remove(parser: Parser): Change | undefined {
  if (!parser.keyword("from")) return undefined;
  const table = tableOf(parser);
  const where = table === undefined ? undefined : conditions(parser);
  return table === undefined || !where ? undefined : { type: "delete", table, where };
}

function conditions(parser: Parser): readonly Condition[] | undefined {
  if (!parser.keyword("where")) return [];
  const found: Condition[] = [];
  do {
    const column = parser.word();
    if (column === undefined || !COLUMNS.has(column)) return undefined;
    const condition = conditionOn(column, parser);
    if (!condition) return undefined;
    found.push(condition);
  } while (parser.keyword("and"));
  return found;
}

function conditionOn(column: string, parser: Parser): Condition | undefined {
  const isEqual = parser.sign("=") || parser.sign("==");
  if (isEqual || parser.sign("<>") || parser.sign("!=")) {
    const value = parser.literal();
    return value === undefined || value === null
      ? undefined
      : { column, values: [value], isNot: !isEqual };
  }
  const isNot = parser.keyword("not");
  if (!parser.keyword("in") || !parser.sign("(")) return undefined;
  const values: Literal[] = [];
  do {
    const value = parser.literal();
    if (value === undefined || value === null) return undefined;
    values.push(value);
  } while (parser.sign(","));
  return parser.sign(")") ? { column, values, isNot } : undefined;
}
