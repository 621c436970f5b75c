import { readDefinition } from "../../../src/checks/definition.ts";
import { checkConfigText } from "../../../src/config/file.ts";
import { parsePrices } from "../../../src/core/cost/price-file.ts";
import { holds } from "../check.ts";

/** Files that users write for Waymark. */
export function fuzz(bytes: Buffer): void {
  const text = bytes.toString();
  const lines = text.split("\n").length;
  for (const kind of ["user", "project"] as const)
    for (const { line, message } of checkConfigText(text, "/f", kind, {})) {
      holds("a problem has a reason", message.length > 0 && message.length < 1_000);
      holds("the line is in the file", line === undefined || (line >= 1 && line <= lines + 1));
    }
  const prices = parsePrices(text);
  if ("line" in prices)
    holds("the line is in the prices", prices.line >= 1 && prices.line <= lines);
  else
    for (const price of prices.table.values())
      holds(
        "prices are not negative",
        price.every(({ input, output }) => input >= 0 && output >= 0),
      );
  try {
    readDefinition("test", JSON.parse(text));
  } catch (error) {
    holds(`an error of JSON: ${error}`, error instanceof SyntaxError);
  }
}
