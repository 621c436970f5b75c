import { describe, expect, test } from "vitest";
import {
  isCheckFile,
  isCheckName,
  kindOf,
  runsCheck,
} from "../../../src/core/checks/tamper/scripts/files.ts";
import { stepsOf } from "../../../src/core/checks/tamper/scripts/steps.ts";
import { detectTampering, fragmentTampering } from "../../../src/core/checks/tamper.ts";

const KINDS: Readonly<Record<string, string>> = {
  package: "package.json web/composer.json",
  make: "Makefile GNUmakefile src/makefile rules.mk justfile .justfile Justfile",
  ci: `.github/workflows/ci.yml .github/actions/a/action.yaml .gitlab-ci.yml .circleci/config.yml azure-pipelines.yml
    .travis.yml .buildkite/a.yml Jenkinsfile Taskfile.yml .pre-commit-config.yaml lefthook.yml action.yml`,
  config: `tox.ini setup.cfg pytest.ini .coveragerc pyproject.toml noxfile.py conftest.py Cargo.toml pom.xml build.gradle
    build.gradle.kts phpunit.xml .rspec .nycrc.json .mocharc.cjs codecov.yml karma.conf.js deno.json jest.config.ts
    vite.config.mts vitest.unit.config.ts playwright.config.ts .golangci.yml`,
  shell: ".husky/pre-commit .githooks/pre-push run.sh bin/check.bash a.bats",
};
test.each(
  Object.entries(KINDS).flatMap(([kind, paths]) =>
    paths.split(/\s+/).map((path) => [path, kind] as const),
  ),
)("%s is read as %s", (path, kind) => {
  expect([kindOf(path), isCheckFile(path)]).toEqual([kind, true]);
});
test.each([
  "src/a.js",
  "README.md",
  "tsconfig.json",
  "package-lock.json",
  "a.mkd",
  "Makefile.am",
  "ci.yml",
])("%s defines no check", (path) => {
  expect([kindOf(path), isCheckFile(path)]).toEqual([undefined, false]);
});

test.each([
  ["test", true],
  ["test:unit", true],
  ["pretest", true],
  ["postbuild", true],
  ["LINT", true],
  ["run-checks", true],
  ["check_all", true],
  ["dev", false],
  ["test:watch", false],
  ["lint:fix", false],
  ["contest", false],
  ["prepare", false],
  ["presume", false],
])("the script %s is a check: %s", (name, isOne) => {
  expect(isCheckName(name)).toBe(isOne);
});

test.each([
  ["npm test", true],
  ["vitest run", true],
  ["./node_modules/.bin/jest", false],
  ["cd a && go test ./...", true],
  ["python3 -m pytest", true],
  ["python -m doctest a.py", true],
  ["node --import tsx --test a", true],
  ["./scripts/test.sh", true],
  ["bash ci/verify-all", true],
  ["jest: true", false],
  ["echo done", false],
  ["npm install", false],
  ["node server.js", false],
])("%j runs a check: %s", (command, isOne) => {
  expect(runsCheck(command)).toBe(isOne);
});

describe("the commands of checks", () => {
  const steps = (path: string, text: string) =>
    stepsOf(path, text).map(
      ({ owner, command, line, isCheck }) => `${line} ${owner}${isCheck ? "" : "?"}: ${command}`,
    );

  test.each<[string, string, readonly string[]]>([
    [
      "package.json",
      '{\n  "scripts": {\n    "dev": "vite",\n    "test": "vitest   run",\n    "lint": ["eslint .", "tsc"],\n    "check": 1\n  }\n}',
      ["4 script test: vitest run", "5 script lint: eslint . && tsc"],
    ],
    ["package.json", '{"scripts": null}', []],
    ["package.json", '{"scripts": "test"}', []],
    ["package.json", "null", []],
    [
      "package.json",
      '    "test": "a \\"b\\"",\n    "build": "tsc",\n    "jest": "^1.2.0",\n    "types": "lib/a.d.ts",\n    "start": "node ."',
      ['1 script test: a "b"', "2 script build: tsc"],
    ],
    [
      "Makefile",
      "FLAGS := -q\nexport T = tests\n\n# test:\ntest check: build $(X) # why\n\t@pytest $(FLAGS) \u0024{T} $(NONE)\n\t# comment\n\tcp a b\nbuild:\n\tcc a.c\nrun:\n\t./a\n.PHONY: test\n\techo phony\nlint:\n\truff check",
      [
        "5 target test: : build",
        "5 target test: : $(X)",
        "5 target check: : build",
        "5 target check: : $(X)",
        "6 target test: pytest -q tests $(NONE)",
        "6 target check: pytest -q tests $(NONE)",
        "8 target test: cp a b",
        "8 target check: cp a b",
        "10 target build: cc a.c",
        "16 target lint: ruff check",
      ],
    ],
    [
      "Makefile",
      "\tpytest tests\n\techo done\ntest:\n\tnpm test",
      ["1 ?: pytest tests", "4 target test: npm test"],
    ],
    [
      ".github/workflows/ci.yml",
      'name: npm test\non: push\n    - uses: a/test@v1\n    - run: npm test # why\n    - run: |\n        npm run lint\n        npm install\n    - name: cargo test\n      run: "cargo test"\n    script: - go vet ./...\n',
      [
        "4 .github/workflows/ci.yml?: npm test",
        "6 .github/workflows/ci.yml?: npm run lint",
        "9 .github/workflows/ci.yml?: cargo test",
        "10 .github/workflows/ci.yml?: go vet ./...",
      ],
    ],
    ["bin/run.sh", "#!/bin/sh\nset -e\nnpm   test # all\ncp a b\n", ["3 bin/run.sh?: npm test"]],
    ["bin/check.sh", "npm test", ["1 bin/check.sh: npm test"]],
    ["test/a.sh", "npm test", []],
    ["test/check.sh", "npm test", ["1 test/check.sh: npm test"]],
    [
      "noxfile.py",
      'def tests(session):\n    session.install("pytest")\n    session.run("pytest", "-q")\n    session.run("ls")\n',
      ['3 noxfile.py: session.run("pytest", "-q")'],
    ],
    [
      "tox.ini",
      "[testenv]\ndeps = pytest\ncommands = pytest -q\n    coverage report\n    # later\n\nsetenv =\n    A=1\n[other]\n    x\n",
      ["3 tox.ini: pytest -q", "4 tox.ini: coverage report"],
    ],
    ["setup.cfg", "[a]\ncommands =\n  pytest\nx\n  y\n", ["3 setup.cfg: pytest"]],
    ["pytest.ini", "commands = pytest\n", []],
    ["src/a.js", "npm test", []],
  ])("of %s %#", (path, text, wanted) => {
    expect(steps(path, text)).toEqual(wanted);
  });

  test("are not read from a missing or a very large file", () => {
    expect(stepsOf("package.json", null)).toEqual([]);
    const big = (size: number) => stepsOf("run.sh", "npm test\n".padEnd(size)).length;
    expect([big(400_000), big(400_001)]).toEqual([1, 0]);
  });
});

const pkg = (...scripts: readonly string[]) =>
  `{\n  "scripts": {\n    ${scripts.join(",\n    ")}\n  }\n}\n`;
const CI = ".github/workflows/ci.yml";

/** Path, text before, text after, kinds and lines of the warnings. */
const CHANGES: readonly (readonly [string, string | null, string | null, string])[] = [
  // Commands
  ["package.json", pkg('"test": "vitest"'), pkg('"test": "vitest"', '"a": "b"'), ""],
  ["package.json", pkg('"test": "vitest"'), pkg('"test": "true"'), "check_changed@3"],
  ["package.json", pkg('"test": "vitest"'), pkg('"unit": "vitest"'), ""],
  ["package.json", pkg('"test": "vitest"'), pkg('"a": "b"'), "check_changed"],
  ["package.json", pkg('"test": "vitest"'), null, "check_changed"],
  ["package.json", pkg('"test": "a && b"'), pkg('"test": "b && c && a"'), ""],
  ["package.json", pkg('"test": "a && b"'), pkg('"test": "a && c"'), "check_changed@3"],
  [
    "package.json",
    pkg('"test": "vitest"'),
    pkg('"test": "vitest && tsc || true"'),
    "exit_code_ignored@3",
  ],
  [
    "package.json",
    pkg('"test": "a"', '"lint": "b"'),
    pkg('"test": "x"', '"lint": "y"'),
    "check_changed@3 check_changed@4",
  ],
  ["Makefile", "test: lint\n\tpytest\n", "test:\n\tpytest\n", "check_changed@2"],
  ["Makefile", "test:\n\ta\n\tb\n", "test:\n\ta\n", "check_changed@2"],
  ["Makefile", "A = x\ntest:\n\trun $(A)\n", "A = y\ntest:\n\trun $(A)\n", "check_changed@3"],
  ["Makefile", "run:\n\ta\n", "run:\n\tb\n", ""],
  [CI, "    - run: npm test\n", "    - run: npm run test\n", "check_changed@1"],
  [
    CI,
    "    - run: npm test\n    - run: npm run lint\n",
    "    - run: npm run lint\n    - run: npm test\n",
    "",
  ],
  [CI, "    - run: npm test\n", null, "check_changed"],
  ["bin/check.sh", "npm test\n", "npm test -- a\n", "check_changed@1"],
  ["tox.ini", "[testenv]\ncommands = pytest\n", "[testenv]\ncommands = pytest\n  mypy\n", ""],
  // Exit codes
  ["Makefile", "test:\n\tpytest\n", "test:\n\t-pytest\n", "exit_code_ignored@2"],
  ["Makefile", "test:\n\tpytest\n", "test:\n\t@-pytest\n", "exit_code_ignored@2"],
  ["Makefile", "test:\n\tpytest\n", "test:\n\t-rm a\n\tpytest\n", ""],
  ["Makefile", "run:\n\ta\n", "run:\n\t-b\n", ""],
  ["Makefile", "test:\n\tpytest\n", ".IGNORE:\ntest:\n\tpytest\n", "exit_code_ignored@1"],
  ["Makefile", "test:\n\tpytest\n", "MAKEFLAGS += -i\ntest:\n\tpytest\n", "exit_code_ignored@1"],
  ["Makefile", "test:\n\tpytest\n", "test:\n\tpytest # || true\n", ""],
  ["Makefile", "test:\n\tcustom\n", "test:\n\tcustom || true\n", "exit_code_ignored@2"],
  ["Makefile", "run:\n\tcustom\n", "run:\n\tcustom || true\n", ""],
  ["run.sh", "set -e\nnpm test\n", "npm test\n", "exit_code_ignored"],
  ["run.sh", "set -e\nnpm test\n", "set +e\nnpm test\n", "exit_code_ignored@1"],
  ["run.sh", "npm test\n", "set +e\nnpm test\n", ""],
  ["run.sh", "npm test\n", "npm test; exit 0\n", "exit_code_ignored@1"],
  ["run.sh", "npm test\n", "  npm test\n", ""],
  ["run.sh", "a\n", "a || true\n", ""],
  ["check.sh", "a\n", "a || true\n", "exit_code_ignored@1"],
  ["check.sh", "curl a\n", "curl a || true\n", ""],
  ["check.sh", "a\n", "x && a || echo failed\n", "exit_code_ignored@1"],
  ["check.sh", "a\n", "a --exit-zero\n", "exit_code_ignored@1"],
  ["check.sh", "ruff check\n", "ruff check --exit-zero\n", "exit_code_ignored@1"],
  ["check.sh", "npm test\n", "npm test --pass-with-no-tests\n", "exit_code_ignored@1"],
  ["check.sh", "trap cleanup EXIT\n", "trap 'exit 0' EXIT\n", "exit_code_ignored@1"],
  [CI, "a: b\n", "a: b\n  continue-on-error: true\n", "exit_code_ignored@2"],
  [CI, "a: b\n", "a: b\n  continue-on-error: false\n", ""],
  [CI, "a: b\n", "a: b\n  allow_failure: true\n", "exit_code_ignored@2"],
  [CI, "  fail_ci_if_error: true\n", "  fail_ci_if_error: false\n", "exit_code_ignored@1"],
  [CI, "    - run: npm test\n", "    - run: npm test || true\n", "exit_code_ignored@1"],
  ["Makefile", "a: b\n", "a: b\n\tcontinue-on-error: true\n", ""],
  ["build.gradle", "a\n", "a\n  ignoreFailures = true\n", "exit_code_ignored@2"],
  [
    "tox.ini",
    "[testenv]\ncommands = pytest\n",
    "[testenv]\nignore_outcome = true\ncommands = pytest\n",
    "exit_code_ignored@2",
  ],
  [
    "tox.ini",
    "[testenv]\ncommands =\n  pytest\n",
    "[testenv]\ncommands =\n  - pytest\n",
    "exit_code_ignored@3",
  ],
  ["tox.ini", "[a]\n", "[a]\n  - ls\n", ""],
  ["test/run-tests.js", "run();\n", "run();\nprocess.exit(0);\n", "exit_code_ignored@2"],
  ["scripts/check.py", "run()\n", "run()\nsys.exit(0)\n", "exit_code_ignored@2"],
  ["scripts/check.py", "run()\n", "run()\n# sys.exit(0)\n", ""],
  ["scripts/start.py", "run()\n", "run()\nsys.exit(0)\n", ""],
  ["conftest.py", "a\n", "a\nsession.exitstatus = 0\n", "exit_code_ignored@2"],
  ["noxfile.py", "a\n", "session.run('a', success_codes=[0, 1])\n", "exit_code_ignored@1"],
  ["noxfile.py", "a\n", "session.run('a', success_codes=[0])\n", ""],
  ["package.json", pkg('"dev": "a"'), pkg('"dev": "a || true"'), ""],
  [
    "package.json",
    pkg('"test": "rm -rf a && b"'),
    pkg('"test": "rm -rf a || true"'),
    "check_changed@3",
  ],
  // A new script that only prints
  ["scripts/check.sh", null, "#!/bin/sh\nset -e\necho ok\n", "assertion_emptied@3"],
  ["scripts/check.sh", null, "#!/bin/sh\nset -e\n", ""],
  ["scripts/check.sh", null, "#!/bin/sh\necho ok\nnpm test\n", ""],
  ["scripts/start.sh", null, "echo ok\n", ""],
  ["scripts/check.sh", null, `echo ok\n${"#".repeat(4_000)}`, ""],
  // Excluded tests
  [
    "jest.config.js",
    "x({ a: 1 });\n",
    'x({\n  testPathIgnorePatterns: ["slow"] });\n',
    "tests_excluded@2",
  ],
  ["jest.config.js", "x();\n", 'x({ testPathIgnorePatterns: ["node_modules", "/dist/"] });\n', ""],
  ["jest.config.js", "x();\n", '// testPathIgnorePatterns: ["slow"]\nx();\n', ""],
  [
    "vitest.config.ts",
    "x({});\n",
    'x({ test: { exclude: ["a.test.ts"] } });\n',
    "tests_excluded@1",
  ],
  ["vitest.config.ts", "x({});\n", 'x({ coverage: { exclude: ["a.ts"] } });\n', ""],
  [
    "vitest.config.ts",
    'x({ include: ["test/**", "e2e/**"] });\n',
    'x({ include: ["test/**"] });\n',
    "tests_excluded@1",
  ],
  ["vitest.config.ts", 'x({ include: ["test/a/**"] });\n', 'x({ include: ["test/**"] });\n', ""],
  ["vitest.config.ts", 'x({ include: ["test/**"] });\n', "x({});\n", ""],
  ["vitest.config.ts", "x({});\n", "x({ passWithNoTests: true });\n", "tests_excluded@1"],
  ["vitest.config.ts", "x({});\n", "x({ passWithNoTests: false });\n", ""],
  [
    "pyproject.toml",
    "[tool.pytest.ini_options]\n",
    '[tool.pytest.ini_options]\naddopts = "-k not slow"\n',
    "tests_excluded@2",
  ],
  ["pyproject.toml", "[tool.ruff]\n", '[tool.ruff]\nexclude = ["a"]\n', ""],
  [
    "pyproject.toml",
    "[tool.pytest.ini_options]\n",
    '[tool.pytest.ini_options]\n# addopts = "--ignore=a"\n',
    "",
  ],
  ["pytest.ini", "[pytest]\n", "[pytest]\nnorecursedirs = build slow\n", "tests_excluded@2"],
  ["pytest.ini", "[pytest]\n", "[pytest]\nnorecursedirs = build\n  dist\n", ""],
  ["pytest.ini", "[pytest]\ntestpaths = a\n  b\n", "[pytest]\ntestpaths = a\n", "tests_excluded@2"],
  ["Cargo.toml", "[lib]\n", "[lib]\ndoctest = false\n", "tests_excluded@2"],
  ["Cargo.toml", "[lib]\n", "[lib]\ntest = true\n", ""],
  [
    "package.json",
    '{"jest": {}}\n',
    '{"jest": {"testPathIgnorePatterns": ["a"]}}\n',
    "tests_excluded@1",
  ],
  ["package.json", "{}\n", '{"files": ["a"], "exclude": ["b"]}\n', ""],
  ["Makefile", "test:\n\tpytest\n", "test:\n\tpytest --deselect a\n", "tests_excluded@2"],
  [CI, "    - run: go test ./...\n", "    - run: go test -skip=Slow ./...\n", "tests_excluded@1"],
  ["Makefile", "run:\n\ta\n", "run:\n\ta --exclude b\n", ""],
  ["Makefile", "lint:\n\truff check\n", "lint:\n\truff check --exclude dist\n", "check_changed@2"],
  // Thresholds
  [
    "jest.config.js",
    "x({ coverageThreshold: { lines: 90 } });\n",
    "x({ coverageThreshold: {\n lines: 80 } });\n",
    "threshold_lowered@2",
  ],
  ["jest.config.js", "x({ coverageThreshold: { lines: 90 } });\n", "x({});\n", "threshold_lowered"],
  [
    "jest.config.js",
    "x({ coverageThreshold: { lines: 90 } });\n",
    "x({ coverageThreshold: { lines: 90.5 } });\n",
    "",
  ],
  ["vite.config.ts", "x({ a: { lines: 90 } });\n", "x({ a: { lines: 80 } });\n", ""],
  [
    "package.json",
    pkg('"lint": "eslint --max-warnings 0"'),
    pkg('"lint": "eslint --max-warnings 5"'),
    "threshold_lowered@3",
  ],
  [
    "package.json",
    pkg('"lint": "eslint --max-warnings=5"'),
    pkg('"lint": "eslint --max-warnings=0"'),
    "check_changed@3",
  ],
  [
    "codecov.yml",
    "coverage:\n  threshold: 1\n",
    "coverage:\n  threshold: 5\n",
    "threshold_lowered@2",
  ],
  ["codecov.yml", "coverage:\n  threshold: 5\n", "coverage:\n  threshold: 1\n", ""],
  [
    "codecov.yml",
    "coverage:\n  target: 90%\n",
    "coverage:\n  target: 50%\n",
    "threshold_lowered@2",
  ],
  [
    ".coveragerc",
    "fail_under = 85\nfail_under = 70\n",
    "fail_under = 85\nfail_under = 60\n",
    "threshold_lowered@2",
  ],
  [".coveragerc", "# fail_under = 85\n", "\n", ""],
  ["src/a.js", "x({ branches: 90 });\n", "x({ branches: 1 });\n", ""],
  [
    "jest.config.js",
    "x({ coverageThreshold: { branches: 9, functions: 9, lines: 9, statements: 9, minimum: 9 } });\n",
    "x({ coverageThreshold: { branches: 1,\nfunctions: 1,\nlines: 1,\nstatements: 1,\nminimum: 1 } });\n",
    "threshold_lowered@1 threshold_lowered@2 threshold_lowered@3 threshold_lowered@4",
  ],
  // Recorded results
  ["a.snap", "exports[`a`] = `1`;\n", "exports[`a`] = `2`;\n", "snapshot_rewritten@1"],
  [
    "a.snap",
    "exports[`a`] = `1`;\nexports[`b`] = `2`;\n",
    "exports[`b`] = `2`;\n",
    "snapshot_rewritten",
  ],
  [
    "a.snap",
    "exports[`a`] = `1`;\nexports[`b`] = `2`;\n",
    "exports[`c`] = `1`;\nexports[`b`] =   `2`;\n",
    "",
  ],
  ["a.snap", "exports[`a`] = `1`;\n", null, "snapshot_rewritten"],
  ["a.snap", null, "exports[`a`] = `1`;\n", ""],
  [
    "a.ambr",
    "# name: a\n  1\n# name: b\n  2\n",
    "# name: a\n  1\n# name: b\n  3\n",
    "snapshot_rewritten@3",
  ],
  ["golden/a.txt", "a\n\nb\n", "a b\n", ""],
];

test.each(CHANGES)("%s %j becomes %j: %s", (path, before, after, wanted) => {
  const found = detectTampering([{ path, before, after }]);
  expect(found.map(({ kind, line }) => (line === null ? kind : `${kind}@${line}`)).join(" ")).toBe(
    wanted,
  );
  for (const { text, file } of found) expect([text === "", file]).toEqual([false, path]);
});

test("a command, a threshold and a result may move to another file", () => {
  expect(
    detectTampering([
      { path: "Makefile", before: "test:\n\tpytest -q\n", after: "run:\n\ta\n" },
      { path: "check.sh", before: null, after: "pytest -q\n" },
      { path: ".coveragerc", before: "fail_under = 85\n", after: null },
      { path: "tox.ini", before: "", after: "fail_under = 86\n" },
      { path: "a.snap", before: "exports[`a`] = `1`;\n", after: null },
      { path: "b.snap", before: null, after: "exports[`b`] = `1`;\n" },
    ]),
  ).toEqual([]);
});

test("a part of a file has no line, and what it adds to a snapshot is new", () => {
  const part = (path: string, before: string, after: string) =>
    fragmentTampering({ path, before, after }).map(({ kind, line }) => [kind, line]);
  expect(part("Makefile", "\tpytest\n", "\techo\n")).toEqual([["check_changed", null]]);
  expect(part("a.snap", "<p>1</p>", "<p>1</p>\n<p>2</p>")).toEqual([]);
  expect(part("a.snap", "<p>1</p>", "<p>2</p>")).toEqual([["snapshot_rewritten", null]]);
});

test("lists at most 100 warnings, each once and with at most 160 characters", () => {
  const script = (command: string) =>
    Array.from({ length: 150 }, (_, n) => `npm run test:${n} ${command}`).join("\n");
  const found = detectTampering([
    { path: "check.sh", before: script(""), after: script("|| true") },
  ]);
  expect(found).toHaveLength(100);
  const long = detectTampering([
    { path: "package.json", before: pkg(`"test": "${"x ".repeat(200)}"`), after: pkg('"a": "b"') },
  ]);
  expect(long.map(({ text }) => text.length)).toEqual([160]);
});
