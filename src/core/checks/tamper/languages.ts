/** Which language a file is written in, and whether a test runner collects it. By path only. */

/** The languages whose tests are recognized. */
export type Language = "js" | "python" | "go" | "rust" | "jvm" | "csharp" | "ruby" | "php" | "sh";

const EXTENSIONS: Readonly<Record<string, Language>> = {
  js: "js",
  mjs: "js",
  cjs: "js",
  jsx: "js",
  ts: "js",
  mts: "js",
  cts: "js",
  tsx: "js",
  py: "python",
  go: "go",
  rs: "rust",
  java: "jvm",
  kt: "jvm",
  kts: "jvm",
  scala: "jvm",
  groovy: "jvm",
  swift: "jvm",
  cs: "csharp",
  rb: "ruby",
  php: "php",
  sh: "sh",
  bash: "sh",
  bats: "sh",
};

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The language of a file, by its extension. */
export function languageOf(path: string): Language | undefined {
  const base = baseName(path);
  const dot = base.lastIndexOf(".");
  const extension = dot === -1 ? "" : base.slice(dot + 1).toLowerCase();
  return Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

const IN_TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|integration|cypress)\//i;
const NAMED_TEST = /(?:^|[._-])(?:test|tests|spec|specs|e2e)(?:[._-]|$)/i;

/**
 * Whether a test runner collects the tests of a file. Runners go by file names: a renamed file may no
 * longer be collected.
 */
export function isTestPath(path: string): boolean {
  const base = baseName(path);
  switch (languageOf(path)) {
    case "python":
      return /^test[^/]*\.py$|_tests?\.py$/i.test(base);
    case "go":
      return base.endsWith("_test.go");
    case "js":
    case "sh":
      return IN_TEST_FOLDER.test(path) || NAMED_TEST.test(base.replace(/\.\w+$/, ""));
    case "rust":
    case "jvm":
    case "csharp":
    case "php":
      return true;
    case "ruby":
      return /_(?:test|spec)\.rb$|^test_/.test(base);
    default:
      return false;
  }
}

/** Whether a file is a test by its name: source files with tests inside are not. */
export function isCollectedTest(path: string): boolean {
  return isTestPath(path) && (IN_TEST_FOLDER.test(path) || /test|spec|e2e/i.test(baseName(path)));
}

const SNAPSHOT =
  /(?:^|\/)(?:__snapshots__|snapshots|__image_snapshots__|goldens?)\/|\.(?:snap|ambr|golden|approved\.\w+|snapshot)$/i;

/** Whether a file holds recorded results that tests compare with. */
export function isSnapshot(path: string): boolean {
  return SNAPSHOT.test(path);
}
