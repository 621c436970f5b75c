import { readLiteral } from "./literal.ts";
import { type PlanInput, planOf } from "./plan.ts";
import { type Token, tokensOf } from "./tokens.ts";

/**
 * A plan update in a script. In code mode the model writes JavaScript, and the session file has only the source. An
 * update counts if the source leaves no doubt: its argument is a literal and every run of the script reaches it.
 */
export type ScriptWrite =
  | { readonly kind: "list"; readonly plan: PlanInput }
  /** Codex refuses these arguments, whether or not the script catches the error. */
  | { readonly kind: "refused" }
  /** The arguments are computed at run time. */
  | { readonly kind: "unknown" }
  /** The call may not have run. */
  | { readonly kind: "doubtful" };

const MAX_SOURCE = 200_000;
const MAX_WRITES = 100;
const PLAN = "update_plan";

/** Whether a script may change a list. */
export function touchesList(source: string): boolean {
  return source.includes(PLAN) || source.includes("mcp__waymark__todos");
}

export function scriptWrites(source: string): ScriptWrite[] {
  if (!source.includes(PLAN)) return [];
  if (source.length > MAX_SOURCE) return [{ kind: "unknown" }];
  const { calls, lastAwait, mentioned } = findCalls(source);
  if (calls.length === 0) return mentioned ? [{ kind: "doubtful" }] : [];
  return calls.map((call) => {
    // Calls that are not awaited are discarded when the script ends.
    const runs = call.certain && (call.awaited || lastAwait > call.at);
    return runs ? writeOf(source, call.at) : { kind: "doubtful" };
  });
}

function writeOf(source: string, at: number): ScriptWrite {
  const literal = readLiteral(source, at);
  if (!literal || !/^,?\s*\)/.test(source.slice(literal.end, literal.end + 80)))
    return { kind: "unknown" };
  const plan = planOf(literal.value);
  return plan ? { kind: "list", plan } : { kind: "refused" };
}

interface Call {
  /** Offset of the arguments. */
  readonly at: number;
  readonly awaited: boolean;
  readonly certain: boolean;
}

interface Bracket {
  readonly mark: string;
  /** Its content may be skipped or run later. */
  readonly doubtful: boolean;
  /** The braces contain an object literal, not statements. */
  readonly value: boolean;
  /** Doubt about the enclosing statement. */
  readonly doubt: boolean;
  readonly awaiting: boolean;
}

/** Tokens after which the rest of a statement is conditional. */
const DOUBTS = new Set(
  "if else for while do switch case default function class catch => ? && || ??".split(" "),
);
/** Tokens before a block that always runs. */
const ALWAYS = new Set(["try", "finally", ";", "}", "{"]);
/** Tokens before an object literal. */
const VALUES = new Set("= ( [ , : ? return && || ?? + !".split(" "));

function findCalls(source: string) {
  const calls: Call[] = [];
  const stack: Bracket[] = [];
  const recent: Token[] = [];
  let lastAwait = -1;
  let mentioned = false;
  let mayExit = false;
  // The current statement.
  let doubt = false;
  let awaiting = false;
  // The enclosing brackets.
  let doubtful = 0;
  let round = 0;

  const open = (token: Token, before: Token | undefined) => {
    const braces = token.text === "{";
    const value = braces && before !== undefined && VALUES.has(before.text);
    const always = before === undefined || ALWAYS.has(before.text);
    if (token.text === "(" && isPlan(recent) && calls.length < MAX_WRITES)
      calls.push({
        at: token.end,
        awaited: awaiting,
        certain: !doubt && !mayExit && doubtful === 0,
      });
    if (token.text === "(" && before?.text === "exit") mayExit = true;
    const bracket = {
      mark: token.text,
      doubtful: braces && !value && (doubt || !always),
      value,
      doubt,
      awaiting,
    };
    stack.push(bracket);
    if (bracket.doubtful) doubtful++;
    if (!braces) round++;
    if (braces && !value) {
      doubt = false;
      awaiting = false;
    }
  };
  const close = () => {
    const bracket = stack.pop();
    if (!bracket) return;
    if (bracket.doubtful) doubtful--;
    const braces = bracket.mark === "{";
    if (!braces) round--;
    const endsStatement = braces && !bracket.value;
    doubt = endsStatement ? false : bracket.doubt;
    awaiting = endsStatement ? false : bracket.awaiting;
  };

  for (const token of tokensOf(source)) {
    if (token.kind === "line") {
      if (round === 0) awaiting = false;
      continue;
    }
    const before = recent.at(-1);
    if (token.kind !== "mark" && token.text === PLAN) mentioned = true;
    if (token.kind === "name" && token.text === "await") {
      awaiting = true;
      lastAwait = token.end;
    }
    if (token.kind !== "text" && DOUBTS.has(token.text)) doubt = true;
    if (token.kind === "mark") {
      if (token.text === ";") {
        doubt = false;
        awaiting = false;
      } else if ("([{".includes(token.text)) open(token, before);
      else if (")]}".includes(token.text)) close();
    }
    recent.push(token);
    if (recent.length > 4) recent.shift();
  }
  return { calls, lastAwait, mentioned };
}

/** `update_plan(`, `tools.update_plan?.(`, `tools["update_plan"](`. */
function isPlan(recent: readonly Token[]): boolean {
  const callee = recent.at(-1)?.text === "?." ? recent.slice(0, -1) : recent;
  const [third, second, last] = callee.slice(-3);
  if (last?.kind === "name") return last.text === PLAN && second?.text !== "function";
  return (
    last?.text === "]" && second?.kind === "text" && second.text === PLAN && third?.text === "["
  );
}
