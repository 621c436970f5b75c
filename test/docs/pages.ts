import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Every Markdown file of the repository, except fixtures. */
export const MARKDOWN: readonly string[] = spawnSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
  { encoding: "utf8" },
)
  .stdout.split("\n")
  .filter((file) => file !== "" && !file.startsWith("test/fixtures/"));

/** The skill for the command line; its copies are generated. */
const SKILL = "plugins/agent-plugin/skills/waymark/SKILL.md";

/** The pages that tell users and models what to type. */
export const GUIDES: readonly string[] = MARKDOWN.filter(
  (file) =>
    ["README.md", SKILL].includes(file) ||
    (file.startsWith("docs/") && !file.startsWith("docs/api/")),
);

export const textOf = (file: string): string => readFileSync(file, "utf8");
