import { describe, expect, test } from "vitest";
import { effectOf } from "../../src/core/activity/evidence/effect.ts";
import { cpuTime } from "../cpu-time.ts";

function run(command: unknown, name = "Bash") {
  return effectOf(name, { command });
}

const CHECKS = `
npm test|npm t|npm run test:unit|npm run lint|npm run migrate:test|npm run build|npm test -- refunds
npm --prefix web test|npm test -w packages/a|npm run typecheck --workspaces|pnpm test|pnpm -r lint
pnpm --filter web run build|yarn test|yarn workspace web test|yarn run check|bun test|bun run lint
bunx vitest run|npx vitest run src|npx -y tsc --noEmit|npx --no-install eslint .|pnpm exec jest
npm exec -- playwright test|node --test|node --import tsx --test test/a.ts|node scripts/check.mjs
tsx test/run.test.ts|deno test|deno task test|deno check mod.ts|vitest|vitest run --coverage|jest --ci
mocha|tsc|tsc -b|eslint src|biome check .|biome ci|biome lint src|oxlint|prettier --check .
pytest|pytest -q tests/a.py::test_b|python -m pytest -x|python3 -m unittest discover|tox -e py312|nox
uv run pytest|uv run --with hypothesis pytest -q|uv run python -m pytest|poetry run mypy src|mypy .
ruff check|ruff check src|ruff format --check .|black --check .|pyright|python manage.py test
go test ./...|go vet ./...|go build ./...|golangci-lint run|cargo test|cargo +nightly test|cargo check
cargo clippy -- -D warnings|cargo build --release|cargo nextest run|cargo fmt --check|make|make test
make -C web check|make -j8 lint|just test|task lint|cmake --build build|ctest --test-dir build|ninja
mvn -q -B test|./mvnw verify|mvn -pl core test|gradle test|./gradlew :app:test|./gradlew testDebugUnitTest
dotnet test|dotnet build|rspec|bundle exec rspec spec/a_spec.rb|bundle exec rake spec|bin/rails test
rubocop|phpunit|vendor/bin/phpunit|php vendor/bin/phpunit|php artisan test|composer test|phpstan analyse
mix test|mix compile --warnings-as-errors|swift test|swift build|xcodebuild test -scheme App|sbt test
stack test|cabal build|zig build|dart analyze|flutter test|shellcheck a.sh|terraform validate|helm lint c
pre-commit run --all-files|turbo run build test|nx test app|nx run app:test|nx run-many -t test
./run-tests.sh|./scripts/test.sh -v|bash scripts/check.sh|scripts/ci|./node_modules/.bin/vitest run
yarn playwright test|pnpm tsc --noEmit|mise run test|docker compose run --rm web pytest -q|docker exec -it web npm test
mvn surefire:test|pnpm dlx vitest run|yarn dlx jest|py -m pytest|conda run pytest
npm test "$(cat files)"|npm test $(echo "(a)") --ci
cypress run|dprint check|sqlfluff lint|tofu validate|trunk check|vite build|webpack build|npx playwright test
ant test|astro check|bazel test //...|buck2 test :a|buf lint|detox test|gleam test|lein test|meson test
next build|ng e2e|yarn lint|pnpm lint|nx typecheck|turbo test:unit|lerna run test|composer run test|deno run test
gmake test|mage test|docker-compose run web pytest|podman exec web pytest|nerdctl exec web pytest
zsh -c 'npm test'|dash -c pytest|ash -c pytest|ksh -c pytest|fish -c pytest|pwsh -c pytest|cmd -c pytest
pnpx jest|uvx mypy|npm x jest|pipenv run pytest|pdm run pytest|hatch run pytest|rye run pytest|pixi run pytest
bun x vitest|mise exec pytest|mise x -- pytest|dotenvx run -- npm test|corepack yarn test|python3 -m pytest
npx -- vitest|nice -n 10 npm test|timeout -k 5 90 npm test|make -f ci.mk test|python3.12 -m pytest
C:\\\\tools\\\\jest.exe|node.exe --test|jest.cmd|gradlew.bat test|npx.cmd vitest|isort --check-only .|gofmt --list-different
black --dry-run .|npm run-script test|npm tst|npm it|npm cit|yarn run workspace:test|ruff format --diff|perl t/unit_test.pl
python manage.py check|docker run -it --env A=1 -v /a:/b image pytest|docker compose exec -T web pytest|rake test
CI=1 npm test|env NODE_ENV=test npm test|timeout 600 npm test|time npm test|sudo -E npm test
`
  .trim()
  .split(/[|\n]/);

const NOT_CHECKS = `
ls|cat package.json|echo npm test|git status|git commit -m "npm test"|npm install|npm start|npm run dev
npm run build:watch|npm run lint:fix|npx eslint --fix .|vitest --watch|vitest -u|jest --updateSnapshot
tsc --watch|tsc -w|tsc --version|pytest --help|pytest --collect-only|cargo run|cargo fmt|go run .
prettier --write .|prettier src|black .|ruff format|ruff check --fix|make -n test|make install|make clean
test -f a.txt|[ -f a ]|pnpm add test-utils|yarn add vitest|npm run|python test|node build.js --version
npm run test:dev|npm run test:server|npm run test:serve|npm run test:start|npm run test:update|npm run test:watch
vitest -w|mocha -w|vue-tsc -w|zsh -c ls|npm x left-pad|yarn workspace web|rake|cmake -B build|cargo fmt -- --nocheck
ruff format --verbose|docker run --detach web pytest|docker run -d web pytest|docker run pytest|python manage.py shell
/usr/bin/test -f a|/bin/check|yarn workspaces test:unit|uv pip install|python -c test|mvn clean|yarn create vite
grep -rn test src|sed -n 1,20p test.ts|biome check --write .|node -e "test()"|gradle tasks|docker ps
npx playwright install|cypress open|yarn playwright show-report|docker compose run -d web pytest|docker compose up
`
  .trim()
  .split(/[|\n]/);

describe("recognizes checks", () => {
  test.each(CHECKS)("%s", (command) => {
    expect(run(command).check).toBeDefined();
  });

  test.each(NOT_CHECKS)("not %s", (command) => {
    expect(run(command).check).toBeUndefined();
  });

  test("shows the command without wrappers", () => {
    expect(run("cd web && CI=1 timeout 60 npm test -- refunds 2>&1")).toEqual({
      check: "npm test -- refunds",
      scope: { directory: "web" },
    });
  });
});

describe("ignores a check whose exit code is lost", () => {
  test.each([
    "npm test | tail -20",
    "npm test 2>&1 | tee out.log",
    "npm test || true",
    "npm test $(cat files) || true",
    'npm test "$(cat files)" | tail',
    "npm test || echo failed",
    "npm test; echo done",
    "npm test\necho done",
    "npm test &",
    "npm test && lint || true",
    "true || npm test",
    "! npm test",
    "if npm test; then echo ok; fi",
    "for i in 1 2; do npm test; done",
    "while true; do npm test; done",
    "until npm test; do :; done",
    "{ npm test; true; }",
    "(npm test; true)",
    "(npm test || true) && echo ok",
    "bash -c 'npm test | tail'",
    "bash -lc 'npm test' | head",
    "npm test && sed -i s/a/b/ src/x.ts",
    `${"echo a; ".repeat(1_000)}npm test`,
    "npm test && grep '<<EOF' notes.md\necho done",
    'npm test && grep "<<EOF" notes.md\nsed -i s/a/b/ src/x.ts',
    "npm test # <<EOF\necho done",
    "npm test\necho $(((1 << n)))\necho done",
    "cat <<EOF\n  EOF\nnpm test\nEOF",
  ])("%s", (command) => {
    expect(run(command).check).toBeUndefined();
  });

  test.each([
    "cd web && npm test",
    "npm run build && npm test",
    "echo start; npm test",
    "npm test 2>&1",
    "npm test > /tmp/out.log 2>&1",
    "npm test;",
    "npm test\n",
    "(cd web && npm test)",
    "(cd web; npm test) && echo ok",
    "set -e; npm test; echo done",
    "set -euo pipefail\nnpm test | tail -3\necho ok",
    "set -o pipefail && npm test | tail -3",
    "cat input.txt | npm test",
    "bash -lc 'cd web && npm test'",
    'sh -c "npm test"',
    "npm test && echo ok",
    "npm test # || true",
    "(rm -rf dist || true) && npm test",
    "npm \\\n  test",
    "cat <<'EOF' > notes.md\nnpm test || true\nEOF\nnpm test",
    "cat <<A <<-'B C' > notes.md\n'\nB C\nA\nnpm test || true\n\tB C\nnpm test",
    'git commit -m "$(cat <<\'EOF\'\nSay "npm test || true\nEOF\n)" && npm test',
    "echo $((1 << n)) '<<EOF' # <<EOF\nnpm test",
  ])("but %s", (command) => {
    expect(run(command).check).toBeDefined();
  });

  test("ignores background commands", () => {
    expect(effectOf("Bash", { command: "npm test", run_in_background: true })).toEqual({});
  });

  test("recognizes an edit before a check in the same command", () => {
    expect(run("sed -i s/a/b/ src/x.ts && npm test")).toEqual({ edits: true, check: "npm test" });
  });

  test("accepts a command as an array of words", () => {
    expect(run(["bash", "-lc", "cd web && npm test"], "shell")).toEqual({
      check: "npm test",
      scope: { directory: "web" },
    });
    expect(effectOf("exec_command", { cmd: "cargo test" })).toEqual({ check: "cargo test" });
    expect(run(["npm", "test"], "shell")).toEqual({ check: "npm test" });
  });
});

describe("a script covers what its name says", () => {
  test.each([
    ["npm run test:slug", ["slug"]],
    ["pnpm test:slug", ["slug"]],
    ["make test-slug", ["slug"]],
    ["just check_payments", ["payments"]],
    ["docker compose run web npm run test:slug", ["slug"]],
    ["nx run billing:test", ["billing"]],
    ["make test-slug lint-css", ["slug", "css"]],
  ])("%s", (command, words) => {
    expect(run(command).scope).toEqual({ words });
  });

  test.each(
    `npm run test:unit|npm run test:ci|npm run test:coverage|yarn test:e2e|pnpm run lint:eslint|make test-all|make check
    make tests|npm run test:vitest|tox run test-py311|npm run build:prod|make test-slug test|npm run check:types
    npm run test:units`.split(/[|\n]\s*/),
  )("nothing in %s", (command) => {
    expect(run(command).scope).toBeUndefined();
  });
});

describe("recognizes edits", () => {
  test.each([
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "apply_patch",
    "write_file",
    "replace",
    "edit",
    "patch",
    "str_replace_based_edit_tool",
    "mcp__filesystem__write_file",
    "write-file",
    "file_change",
  ])("tool %s", (name) => {
    expect(effectOf(name, { path: "a" })).toEqual({ edits: true });
  });

  test.each(["Read", "Grep", "read_file", "WebFetch", "Task", "toString", "__proto__"])(
    "not the tool %s",
    (name) => {
      expect(effectOf(name, { path: "a" })).toEqual({});
    },
  );

  test("ignores read-only commands of edit tools", () => {
    for (const command of ["view", "read", "undo_view"])
      expect(effectOf("str_replace_editor", { command, path: "a" })).toEqual({});
    expect(effectOf("str_replace_editor", { command: "create", path: "a" })).toEqual({
      edits: true,
    });
  });

  test.each([
    "sed -i s/a/b/ x.ts",
    "sed -i.bak -e s/a/b/ x.ts",
    "perl -pi -e s/a/b/ x.ts",
    "git apply fix.patch",
    "git checkout -- src",
    "git restore src/a.ts",
    "patch -p1 < fix.patch",
    "echo hello > src/a.ts",
    "printf x >> notes.md",
    "cat <<EOF > src/a.ts\nnpm test\nEOF",
    "apply_patch <<'EOF'\n*** Begin Patch\nEOF",
    "mv a b",
    "rm -rf src/old",
    "cp a b",
    "echo x | tee src/a.ts",
    "npm install left-pad",
    "cargo fmt",
    "npx prettier --write .",
    "npx eslint --fix .",
    "black .",
    "vitest run -u",
    "bash -c 'echo x > y.ts'",
    "applypatch fix.patch",
    "truncate -s 0 a.ts",
    "rsync a.ts src/",
    "isort .",
    "rustfmt src/a.rs",
    "git switch main",
    "git checkout main",
    "git stash",
    "npx biome check --write .",
    "eslint -u src",
    "gofmt -w a.go",
    "dprint fmt",
    "awk -i inplace 1 a.txt",
    "rm /tmp/a src/a",
  ])("%s", (command) => {
    expect(run(command)).toEqual({ edits: true });
  });

  test.each([
    "sed -n 1,10p a.ts",
    "cat < src/a.ts",
    "gofmt a.go",
    "awk 1 a.txt",
    "git switch -c topic",
    "git stash show",
    "npm run lint -- --fix",
    "rm -rf /tmp/a",
    "rm -rf /dev/shm/a",
    "mv /tmp/a /tmp/b",
    "echo x | tee /tmp/a",
    "tee",
    "rsync src/ /tmp/copy",
    "cp",
    "git status",
    "git checkout -b topic",
    "git stash list",
    "git diff > /tmp/x.patch",
    "ls > /dev/null 2>&1",
    "npm test > /tmp/out 2>&1 | cat",
    "cp src/a.ts /tmp/a.ts",
    "echo done 1>&2",
    "cat a.ts",
    "node -e 'console.log(1 > 0)'",
  ])("not %s", (command) => {
    expect(run(command).edits).toBeUndefined();
  });
});

test("extends the tables with a policy", () => {
  const table = { checks: ["./prove", "make prove"], edits: ["Paint"] };
  expect(effectOf("Bash", { command: "./prove all" }, table)).toEqual({ check: "./prove all" });
  expect(effectOf("Bash", { command: "make prove | cat" }, table)).toEqual({});
  expect(effectOf("Bash", { command: "./proved" }, table)).toEqual({});
  expect(effectOf("Paint", {}, table)).toEqual({ edits: true });
});

test("classifies any input without failing, in bounded time", () => {
  const started = cpuTime();
  for (const command of [
    "'".repeat(5_000),
    '"$('.repeat(2_000),
    "((((".repeat(2_000),
    "<<EOF\n".repeat(1_000),
    "a&&".repeat(3_000),
    ">".repeat(5_000),
    "\\".repeat(5_000),
    "bash -c 'bash -c \"bash -c npm\"'",
    "",
    "\u0000",
    "env ".repeat(3_000),
    "npx ".repeat(3_000),
    "constructor test",
    "toString -w",
    "npx hasOwnProperty test",
    "__proto__ x",
  ])
    expect(() => run(command)).not.toThrow();
  for (const input of [null, 7, [], { command: 7 }, { command: [1, null] }, { command: {} }])
    expect(effectOf("Bash", input)).toEqual({});
  expect(cpuTime() - started).toBeLessThan(2_000);
});
