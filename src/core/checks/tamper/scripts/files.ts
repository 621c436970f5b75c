import {
  CHECK_PROGRAMS,
  CHECK_WORDS,
  NON_CHECK_WORDS,
} from "../../../activity/evidence/commands.ts";
import { baseName, languageOf } from "../languages.ts";

export type Kind = "package" | "make" | "ci" | "shell" | "config";

const CI =
  /(?:^|\/)(?:\.github\/(?:workflows|actions)\/.{1,200}\.ya?ml|\.gitlab-ci\.ya?ml|\.gitlab\/.{1,200}\.ya?ml|\.circleci\/config\.ya?ml|azure-pipelines\.ya?ml|\.travis\.yml|bitbucket-pipelines\.ya?ml|\.buildkite\/.{1,200}\.ya?ml|\.drone\.ya?ml|\.woodpecker.{0,200}\.ya?ml|appveyor\.yml|\.pre-commit-config\.ya?ml|lefthook\.ya?ml|Taskfile\.ya?ml|Jenkinsfile|action\.ya?ml)$/i;
const CONFIG =
  /^(?:tox\.ini|setup\.cfg|pytest\.ini|\.?coveragerc|pyproject\.toml|noxfile\.py|conftest\.py|Cargo\.toml|nextest\.toml|pom\.xml|build\.gradle(?:\.kts)?|phpunit\.xml(?:\.dist)?|\.rspec|\.nycrc(?:\.json|\.ya?ml)?|\.c8rc(?:\.json)?|\.mocharc\.\w+|\.?codecov\.ya?ml|karma\.conf\.\w+|stryker\.conf\.\w+|deno\.jsonc?|bunfig\.toml|angular\.json|(?:jest|vitest|vite|playwright|cypress|ava|wdio|stryker|web-test-runner)(?:\.\w+)?\.config\.\w+|vitest\.workspace\.\w+|\.taprc|sonar-project\.properties|golangci\.ya?ml|\.golangci\.ya?ml|\.simplecov)$/i;

export function kindOf(path: string): Kind | undefined {
  const base = baseName(path);
  if (base === "package.json" || base === "composer.json") return "package";
  if (/^(?:GNUm|M|m)akefile$|\.mk$|^\.?justfile$/i.test(base)) return "make";
  if (CI.test(path) || /^(?:Jenkinsfile|Taskfile\.ya?ml)$/.test(base)) return "ci";
  if (CONFIG.test(base)) return "config";
  if (/(?:^|\/)\.(?:husky|githooks)\//.test(path) || languageOf(path) === "sh") return "shell";
  return undefined;
}

/** Whether a file can define what a check runs. */
export function isCheckFile(path: string): boolean {
  return kindOf(path) !== undefined;
}

/** Whether the name of a script or target is that of a check, as in `test:unit` and `lint`. */
export function isCheckName(name: string): boolean {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/^(?:pre|post)(?=test|build|lint)/, ""));
  return (
    words.some((word) => CHECK_WORDS.has(word)) && !words.some((word) => NON_CHECK_WORDS.has(word))
  );
}

const RUNS_CHECK = new RegExp(
  String.raw`(?<![\w./-])(?:${[...CHECK_PROGRAMS]
    .filter((program) => program.length > 2 && program !== "standard" && program !== "pest")
    .map((program) => program.replaceAll(".", "\\."))
    .join(
      "|",
    )})(?![\w./-]*[:=])|(?:^|[\s/&;|(])(?:(?:npm|pnpm|yarn|bun|cargo|go|make|just|deno|gradlew?|mvnw?|dotnet|swift|mix|rake|task|turbo|nx|composer|sbt|bazel|zig|dart|flutter)\s(?:[^&|;\n]{0,60}?\s)?(?:run\s)?[\w:-]{0,20}(?:tests?|check|lint|verify|clippy|vet|build|ci|typecheck|e2e)\b|python3?\s-m\s(?:unittest|pytest|doctest)|node\s(?:[^&|;\n]{0,60}\s)?--test\b|(?:\./|sh |bash |python3? |node )[\w./-]{0,80}(?:test|check|lint|verify)[\w.-]{0,40})`,
);

/** Whether a command line runs a check. */
export function runsCheck(command: string): boolean {
  return RUNS_CHECK.test(command.slice(0, 2_000));
}

export const MAX_CONFIG = 400_000;
export const MAX_SIGNS = 100;
