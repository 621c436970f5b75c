import { scriptWrites } from "../../../src/agents/codex/code-mode.ts";
import { readLiteral } from "../../../src/agents/codex/literal.ts";
import { changeOf, concernsList } from "../../../src/agents/copilot/statements.ts";
import { statementsIn } from "../../../src/agents/copilot/tokens.ts";
import { holds, same } from "../check.ts";

/** JavaScript and SQL that models wrote. */
export function fuzz(bytes: Buffer): void {
  const source = bytes.toString();
  scriptWrites(source);
  const literal = readLiteral(source, 0);
  if (literal) {
    holds("the literal ends in the source", literal.end > 0 && literal.end <= source.length);
    // A key is defined or `undefined`, which JSON leaves out.
    const json = JSON.stringify(literal.value);
    if (json !== undefined)
      same("the literal as JSON", JSON.stringify(readLiteral(json, 0)?.value), json);
  }
  concernsList(source);
  for (const statement of statementsIn(source) ?? []) {
    const change = changeOf(statement);
    const printed = statement
      .map(({ type, value }) =>
        type === "string"
          ? `'${value.replaceAll("'", "''")}'`
          : type === "word"
            ? `"${value.replaceAll('"', '""')}"`
            : value,
      )
      .join(" ");
    const [again = []] = statementsIn(printed) ?? [];
    same("the statement printed and read", again, statement);
    same("the change of the printed statement", changeOf(again), change);
  }
}
