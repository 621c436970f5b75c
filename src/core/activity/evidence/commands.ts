/**
 * What is known of commands and tools: which of them check something, which of them edit. Data
 * only; `evidence.ts` reads it, and a policy can add to it.
 */

/** Tools that edit, by the last part of their name in small letters. */
export const EDIT_TOOLS: ReadonlySet<string> = new Set(
  `apply_diff apply_patch applypatch create create_file create_text_file delete_file edit edit_block
  edit_existing_file edit_file edit_notebook file_change file_edit file_write filechange fs_write
  insert insert_content insert_edit_into_file move_file multi_edit multi_replace_string_in_file
  multiedit notebook_edit notebookedit patch replace replace_in_file replace_lines
  replace_string_in_file rename_file search_and_replace search_replace smart_edit str_replace
  str_replace_based_edit_tool str_replace_editor update_file write write_file write_to_file
  writefile`.split(/\s+/),
);

/** Tools of many commands, of which these only look. */
export const LOOKING = new Set(["view", "read", "undo_view"]);

/** What of a script's name, between its colons and hyphens, says that it checks. */
export const CHECKING = new Set(
  `build check checks ci compile e2e integration lint lints smoke spec specs test tests tsc
  typecheck types unit validate verify`.split(/\s+/),
);
export const NOT_CHECKING = new Set(["dev", "fix", "server", "serve", "start", "update", "watch"]);

/** Programs that check whatever they are told, unless they are told to change something. */
export const CHECKERS = new Set(
  `actionlint ava bandit clippy-driver commitlint ctest elm-test eslint flake8
  gotestsum hadolint jest karma knip markdownlint mocha mypy ninja nose2 nox nyc oxlint pest
  phpstan phpunit psalm py.test pylint pyright pytest rspec rubocop shellcheck
  staticcheck standard stylelint svelte-check tap tape tflint tox tsc tslint uvu vitest
  vue-tsc xo yamllint c8 basedpyright pyrefly ty luacheck busted bats behat codecept
  dialyzer credo ktlint detekt swiftlint checkstyle cppcheck clang-tidy ansible-lint`.split(/\s+/),
);

/** Programs of many commands: which of them check. */
export const SUBCOMMANDS: Readonly<Record<string, string>> = {
  artisan: "test",
  ant: "test check build compile",
  astro: "check build",
  bazel: "test build",
  biome: "check lint ci",
  buck2: "test build",
  buf: "lint build breaking",
  bun: "test",
  cabal: "test build check",
  cargo: "test check build clippy nextest t c b doc",
  composer: "test validate check",
  cypress: "run",
  dart: "test analyze",
  deno: "test check lint",
  detox: "test build",
  dotnet: "test build",
  dprint: "check",
  flutter: "test analyze build",
  gleam: "test check build",
  go: "test vet build",
  "golangci-lint": "run",
  helm: "lint",
  lein: "test check",
  meson: "test compile",
  mill: "test compile",
  mix: "test compile credo dialyzer",
  mvn: "test verify package install compile integration-test",
  next: "build lint",
  ng: "test build lint e2e",
  nx: "test build lint",
  playwright: "test",
  "pre-commit": "run",
  rails: "test test:system",
  ruff: "check",
  sbt: "test compile",
  sqlfluff: "lint",
  stack: "test build",
  swift: "test build",
  terraform: "validate",
  tofu: "validate",
  trunk: "check",
  turbo: "test build lint check typecheck",
  vite: "build",
  webpack: "build",
  xcodebuild: "test build build-for-testing",
  zig: "test build",
};

/** Package managers: `npm test`, `npm run lint`, and for some of them simply `yarn lint`. */
export const MANAGERS = new Set([
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "deno",
  "composer",
  "turbo",
  "nx",
  "lerna",
  "mise",
]);
export const MAKERS = new Set(["make", "gmake", "just", "task", "mage", "rake"]);
export const BARE_SCRIPTS = new Set(["yarn", "pnpm", "nx", "turbo"]);

/** Programs of many commands that packages bring along: `yarn playwright test`. */
export const TOOLS_OF_PACKAGES = new Set(
  "astro biome cypress detox next ng playwright turbo vite webpack".split(" "),
);

export const CONTAINERS = new Set(["docker", "docker-compose", "podman", "nerdctl"]);
/** Options of a container's `run` and `exec` whose value is a word of its own. */
export const CONTAINER_VALUE =
  /^(?:-[evwupl]|--(?:env|env-file|volume|workdir|user|publish|name|network|entrypoint|label|mount|platform|memory|cpus|index))$/;

/** Formatters prove something only when they are told not to write. */
export const FORMATTERS =
  /^(?:prettier|black|isort|gofmt|gofumpt|rustfmt|dprint|clang-format|shfmt|yapf|autopep8)$/;

/** Words that make any of them do something else. */
export const NO_CHECK =
  /^(?:--help|-h|--version|-V|--watch(?:All)?|--fix|--write|--apply|--list(?:Tests)?|--collect-only|--dry-run|--init|--updateSnapshot|--update|-u|--ui|--showConfig|--print-config|--no-run|--fix-dry-run)(?:=|$)/;
export const WRITES = /^(?:--fix|--write|--apply|--updateSnapshot|--update|-u)$/;

/** What stands before the command that is meant. */
export const WRAPPERS = new Set(
  "command caffeinate doas env exec gtimeout ionice nice nohup stdbuf sudo time timeout unbuffer xvfb-run".split(
    " ",
  ),
);
/** What runs the program that is named next; with the word that must come in between. */
export const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npx: [""],
  bunx: [""],
  pnpx: [""],
  uvx: [""],
  npm: ["exec", "x"],
  pnpm: ["exec", "dlx"],
  yarn: ["exec", "dlx"],
  bun: ["x"],
  uv: ["run"],
  poetry: ["run"],
  pipenv: ["run"],
  pdm: ["run"],
  hatch: ["run"],
  rye: ["run"],
  pixi: ["run"],
  conda: ["run"],
  bundle: ["exec"],
  mise: ["exec", "x"],
  dotenvx: ["run"],
  corepack: [""],
  python: ["-m"],
  python3: ["-m"],
  py: ["-m"],
  php: [""],
};

/** Options whose value is a word of its own. */
export const WITH_VALUE =
  /^(?:-C|-F|-f|-p|-n|-k|-s|--cwd|--dir|--directory|--env-file|--extra|--file|--filter|--group|--manifest-path|--package|--prefix|--project|--python|--signal|--with|--workspace|--kill-after|-pl)$/;

export const GRADLE_TASK = /(?:^|:)(?:test|check|build|assemble|compile|lint|verify)\w*$|Test$/;
export const WATCHED_BY_W = new Set(["tsc", "vitest", "mocha", "vue-tsc"]);
export const INTERPRETERS = new Set(
  "node tsx ts-node python python3 py ruby bash sh zsh perl php".split(" "),
);

/** Commands that change files: with arguments that say so, or always. */
export const EDITING: Readonly<Record<string, RegExp | true>> = {
  sed: /^(?:-[a-zA-Z]*i|--in-place)/,
  perl: /^-[a-zA-Z]*i/,
  awk: /^inplace$/,
  patch: true,
  apply_patch: true,
  applypatch: true,
  tee: true,
  mv: true,
  cp: true,
  rm: true,
  truncate: true,
  rsync: true,
  git: /^(?:apply|am|checkout|switch|restore|reset|merge|rebase|pull|cherry-pick|revert|stash|mv|rm|clean)$/,
  npm: /^(?:i|install|add|uninstall|remove|update|up|pkg|version)$/,
  pnpm: /^(?:i|install|add|remove|update|up)$/,
  yarn: /^(?:add|remove|up|upgrade)$/,
  bun: /^(?:add|remove|update)$/,
  cargo: /^(?:add|remove|update|fix|fmt)$/,
  go: /^(?:get|mod|fmt|generate|fix)$/,
  ruff: /^(?:format|--fix)$/,
  mix: /^format$/,
  dart: /^(?:format|fix)$/,
  terraform: /^fmt$/,
  prettier: /^(?:--write|-w)$/,
  gofmt: /^-w$/,
  gofumpt: /^-w$/,
  black: true,
  isort: true,
  rustfmt: true,
  yapf: /^(?:-i|--in-place)$/,
  autopep8: /^(?:-i|--in-place)$/,
  "clang-format": /^-i$/,
  shfmt: /^-w$/,
};

export const SHELLS = new Set(["bash", "sh", "zsh", "dash", "ash", "ksh", "fish", "pwsh", "cmd"]);
