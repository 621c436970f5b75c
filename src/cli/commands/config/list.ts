import { terminalLine } from "../../../core/text/escape.ts";
import { cut, padEnd, widest } from "../../../surfaces/text/draw/width.ts";
import { defineCommand, JSON_OPTION } from "../../args/command.ts";
import { rowForm } from "../../config/form.ts";
import { problemText } from "../../config/problems.ts";
import { type ConfigRow, configTable, sourceText } from "../../config/rows.ts";
import { EXIT } from "../../io/exit.ts";

export const list = defineCommand({
  arguments: [],
  options: { json: JSON_OPTION },
  toleratesBrokenFiles: true,
  notes: [
    "Precedence: option, environment, project file, user file, default. Secrets are redacted. Options of commands are listed if a file sets them.",
  ],
  exitCodes: { 1: "A configuration file has a problem" },
  examples: [
    { command: "waymark config list", comment: "List every setting" },
    { command: "waymark config list --json", comment: "Print JSON" },
  ],
  seeAlso: ["config set", "config edit", "doctor"],
  async run({ values, env, terminal }) {
    const { rows, problems } = await configTable(env);
    if (values.json) terminal.printJson(rows.map(rowForm));
    else {
      terminal.print(tableLines(rows).join("\n"));
      terminal.print("\nPrecedence: option, environment, project, user, default.");
    }
    for (const problem of problems) terminal.printError(`! ${problemText(problem)}`);
    return problems.length === 0 ? EXIT.success : EXIT.failure;
  },
});

const VALUE_WIDTH = 40;

function tableLines(rows: readonly ConfigRow[]): readonly string[] {
  const cells = [
    ["KEY", "VALUE", "FROM"],
    ...rows.map((row) => [
      row.key,
      terminalLine(row.value ?? cut(row.default ?? "-", VALUE_WIDTH, "...")),
      terminalLine(sourceText(row)),
    ]),
  ];
  const sizes = [0, 1].map((at) =>
    Math.min(VALUE_WIDTH, widest(cells.map((row) => row[at] ?? ""))),
  );
  return cells.map(([key = "", value = "", from = ""]) =>
    [padEnd(key, sizes[0] ?? 0), padEnd(value, sizes[1] ?? 0), from].join("  ").trimEnd(),
  );
}
