import { describe, expect, test } from "vitest";
import { cliReference, loadCommands } from "../../scripts/reference-cli.mjs";
import { loadMcp, mcpReference } from "../../scripts/reference-mcp.mjs";
import { usageForms } from "../../src/cli/args/usage.ts";
import { defaultCommand } from "../../src/cli/commands/default.ts";
import { COMMAND_SECTIONS, walkCommands } from "../../src/cli/commands/index.ts";
import { ENVIRONMENT } from "../../src/cli/environment.ts";
import { EXIT_CODES } from "../../src/cli/io/exit.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { TASK_TOOLS } from "../../src/tools/tasks/index.ts";
import { textOf } from "./pages.ts";

describe("generated pages are what `npm run docs` writes", () => {
  test("docs/reference/cli.md", async () => {
    const page = cliReference({
      COMMAND_SECTIONS,
      ENVIRONMENT,
      EXIT_CODES,
      defaultCommand,
      usageForms,
      walked: await walkCommands(),
    });
    expect(page).toBe(cliReference(await loadCommands(".")));
    expect(textOf("docs/reference/cli.md"), "run: npm run docs").toBe(page);
  });

  test("docs/reference/mcp.md", () => {
    const page = mcpReference(loadMcp("."));
    expect(textOf("docs/reference/mcp.md"), "run: npm run docs").toBe(page);
  });
});

test("docs/reference/mcp.md has every tool", () => {
  const page = textOf("docs/reference/mcp.md");
  const names = [...TOOLS.map(({ name }) => name), ...TASK_TOOLS.map(({ id }) => id)];
  for (const name of names) expect(page).toContain(`\n## ${name}\n`);
});
