import { type Change, type Condition, changeOf, type Literal } from "./statements.ts";
import { statementsIn } from "./tokens.ts";

/** The rows of the two tables, in the order in which a list shows them. Plain JSON data. */
export interface Rows {
  readonly todos: readonly Row[];
  readonly deps: readonly Row[];
}

type Row = Readonly<Record<string, Literal>>;

export const NO_ROWS: Rows = { todos: [], deps: [] };

/** Longer queries and larger tables are not followed. */
const MAX_QUERY = 64 * 1024;
const MAX_ROWS = 1_000;

/** How a query ended, as far as its answer says. */
export interface Outcome {
  readonly failed: boolean;
  /** One answer per statement that was completed. */
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly text: string;
  /** The first word of the statement, if the answer names it. */
  readonly verb?: string;
}

/** Reads the answer of the tool: one statement has one answer, several are numbered. */
export function outcomeOf(answer: string, failed: boolean): Outcome {
  const [, ...parts] = answer.split(/^\d+\. ([A-Z]+)\n/m);
  const answers = Array.from({ length: parts.length / 2 }, (_, index) => ({
    verb: parts[index * 2] ?? "",
    text: parts[index * 2 + 1] ?? "",
  }));
  if (answers.length > 0) return { failed, answers };
  return { failed, answers: failed ? [] : [{ text: answer }] };
}

/**
 * The rows after a query, from the rows before it. The answer has the number of rows that each statement changed, which
 * must be the number that was computed. Undefined if the rows cannot be known; `known` may be undefined, because some
 * statements work without the rows before them.
 */
export function rowsAfter(
  known: Rows | undefined,
  query: string,
  outcome: Outcome,
): Rows | undefined {
  const statements = query.length > MAX_QUERY ? undefined : statementsIn(query);
  if (!statements || outcome.answers.length > statements.length) return undefined;
  const isWhole = outcome.answers.length === statements.length;
  if (!outcome.failed && !isWhole) return undefined;
  // The effect of a failed transaction depends on the statements after it.
  const isTransaction = statements.some(([first]) => /^begin$/i.test(first?.value ?? ""));
  if (isTransaction && outcome.failed) return undefined;
  let rows = known;
  for (const [index, answer] of outcome.answers.entries()) {
    const statement = statements[index] ?? [];
    const { verb, text } = answer;
    if (verb !== undefined && statement[0]?.value.toUpperCase() !== verb) return undefined;
    const change = changeOf(statement);
    if (change === "none") continue;
    rows = change && afterChange(rows, change, text);
  }
  return rows && rows.todos.length + rows.deps.length <= MAX_ROWS ? rows : undefined;
}

function afterChange(known: Rows | undefined, change: Change, answer: string): Rows | undefined {
  const name = change.table === "todos" ? "todos" : "deps";
  const start = foundNothing(change, answer) ? NO_ROWS : (known ?? rowsBefore(change, answer));
  if (!start) return undefined;
  const [after, count] = applied(start[name], change);
  if (count !== countIn(answer)) return undefined;
  return count === 0 ? start : { ...start, [name]: after };
}

/** Row numbers start at 1: an insert whose last row number is the number of its rows found an empty table. */
function foundNothing(change: Change, answer: string): boolean {
  if (change.type !== "insert" || change.table !== "todos") return false;
  const last = /Last inserted row ID: (\d+)\./.exec(answer)?.[1];
  return countIn(answer) === change.rows.length && Number(last) === change.rows.length;
}

/** A delete without a condition leaves nothing, whatever there was. Dependencies refer to todos. */
function rowsBefore(change: Change, answer: string): Rows | undefined {
  const count = countIn(answer);
  if (change.type !== "delete" || change.table !== "todos" || change.where.length > 0)
    return undefined;
  return { todos: Array.from({ length: Math.min(count ?? 0, MAX_ROWS) }, () => ({})), deps: [] };
}

function countIn(answer: string): number | undefined {
  const count = /^\s*(\d+) row\(s\) (?:inserted|updated|deleted)\b/.exec(answer)?.[1];
  return count === undefined ? undefined : Number(count);
}

/** The rows after a change, and the number of rows that it changed. */
function applied(rows: readonly Row[], change: Change): readonly [readonly Row[], number] {
  if (change.type === "insert") return inserted(rows, change);
  const isMeant = (row: Row) => change.where.every((condition) => holds(row, condition));
  const count = rows.filter(isMeant).length;
  if (change.type === "delete") return [rows.filter((row) => !isMeant(row)), count];
  return [rows.map((row) => (isMeant(row) ? { ...row, ...change.set } : row)), count];
}

function inserted(
  rows: readonly Row[],
  { table, rows: given, conflict }: Extract<Change, { type: "insert" }>,
): readonly [readonly Row[], number] {
  const key = (row: Row) => (table === "todos" ? row.id : `${row.todo_id}\n${row.depends_on}`);
  let after = [...rows];
  let count = 0;
  for (const row of given) {
    const isKnown = after.some((each) => key(each) === key(row));
    if (isKnown && conflict === "ignore") continue;
    if (isKnown) after = after.filter((each) => key(each) !== key(row));
    after.push(table === "todos" ? { status: "pending", ...row } : row);
    count++;
  }
  return [after, count];
}

/** A comparison with NULL is never true. */
function holds(row: Row, { column, values, isNot }: Condition): boolean {
  const value = row[column] ?? null;
  return value !== null && values.includes(value) !== isNot;
}
