/**
 * Tables of commands and tools: which are checks, which edit files. Data only; `effect.ts` reads them,
 * and a policy can extend them.
 */

/** Tools that edit files, by the last part of their name in lower case. */
export const EDIT_TOOLS: ReadonlySet<string> = new Set(
  `apply_diff apply_patch applypatch create create_file create_text_file delete_file edit edit_block
  edit_existing_file edit_file edit_notebook file_change file_edit file_write filechange fs_write
  insert insert_content insert_edit_into_file move_file multi_edit multi_replace_string_in_file
  multiedit notebook_edit notebookedit patch replace replace_in_file replace_lines
  replace_string_in_file rename_file search_and_replace search_replace smart_edit str_replace
  str_replace_based_edit_tool str_replace_editor update_file write write_file write_to_file
  writefile`.split(/\s+/),
);

/** Commands of edit tools that only read. */
export const READ_ONLY_COMMANDS = new Set(["view", "read", "undo_view"]);

/** Words in the name of a script, between colons and hyphens, that make it a check. */
export const CHECK_WORDS = new Set(
  `build check checks ci compile e2e integration lint lints smoke spec specs test tests tsc
  typecheck types unit validate verify`.split(/\s+/),
);
export const NON_CHECK_WORDS = new Set([
  "dev",
  "fix",
  "server",
  "serve",
  "start",
  "update",
  "watch",
]);

/** Programs that are checks with any arguments, except options that write. */
export const CHECK_PROGRAMS = new Set(
  `actionlint ava bandit clippy-driver commitlint ctest elm-test eslint flake8
  gotestsum hadolint jest karma knip markdownlint mocha mypy ninja nose2 nox nyc oxlint pest
  phpstan phpunit psalm py.test pylint pyright pytest rspec rubocop shellcheck
  staticcheck standard stylelint svelte-check tap tape tflint tox tsc tslint uvu vitest
  vue-tsc xo yamllint c8 basedpyright pyrefly ty luacheck busted bats behat codecept
  dialyzer credo ktlint detekt swiftlint checkstyle cppcheck clang-tidy ansible-lint`.split(/\s+/),
);

/** Programs with subcommands, and those that are checks. */
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

/** Package managers: `npm test`, `npm run lint`, and for those in `BARE_SCRIPTS` also `yarn lint`. */
export const PACKAGE_MANAGERS = new Set([
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
export const TASK_RUNNERS = new Set(["make", "gmake", "just", "task", "mage", "rake"]);
export const BARE_SCRIPTS = new Set(["yarn", "pnpm", "nx", "turbo"]);

/** Programs with subcommands that are installed as packages: `yarn playwright test`. */
export const PACKAGE_TOOLS = new Set(
  "astro biome cypress detox next ng playwright turbo vite webpack".split(" "),
);

export const CONTAINERS = new Set(["docker", "docker-compose", "podman", "nerdctl"]);
/** Options of `run` and `exec` of a container whose value is a separate word. */
export const CONTAINER_OPTIONS_WITH_VALUE =
  /^(?:-[evwupl]|--(?:env|env-file|volume|workdir|user|publish|name|network|entrypoint|label|mount|platform|memory|cpus|index))$/;

/** Formatters are checks only with an option that prevents writing. */
export const FORMATTERS =
  /^(?:prettier|black|isort|gofmt|gofumpt|rustfmt|clang-format|shfmt|yapf|autopep8)$/;

/** Options that turn a check into something else. */
export const NON_CHECK_OPTIONS =
  /^(?:--help|-h|--version|-V|--watch(?:All)?|--fix|--write|--apply|--list(?:Tests)?|--collect-only|--dry-run|--init|--updateSnapshot|--update|-u|--ui|--showConfig|--print-config|--no-run|--fix-dry-run)(?:=|$)/;
export const WRITE_OPTIONS = /^(?:--fix|--write|--apply|--updateSnapshot|--update|-u)$/;

/** Programs that run the command after them. */
export const WRAPPERS = new Set(
  "command caffeinate doas env exec gtimeout ionice nice nohup stdbuf sudo time timeout unbuffer xvfb-run".split(
    " ",
  ),
);
/** Programs that run another program, with the word before its name: `npm exec`; empty if there is none. */
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

/** Options whose value is a separate word. */
export const OPTIONS_WITH_VALUE =
  /^(?:-C|-F|-f|-p|-n|-k|-s|--cwd|--dir|--directory|--env-file|--extra|--file|--filter|--group|--manifest-path|--package|--prefix|--project|--python|--signal|--with|--workspace|--kill-after|-pl)$/;

export const GRADLE_TASK = /(?:^|:)(?:test|check|build|assemble|compile|lint|verify)\w*$|Test$/;
export const WATCH_WITH_W = new Set(["tsc", "vitest", "mocha", "vue-tsc"]);
export const INTERPRETERS = new Set(
  "node tsx ts-node python python3 py ruby bash sh zsh perl php".split(" "),
);

/** Commands that change files: with arguments that match, or always. */
export const EDIT_COMMANDS: Readonly<Record<string, RegExp | true>> = {
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
  dprint: /^fmt$/,
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
