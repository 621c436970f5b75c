import { readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative, sep } from "node:path";

const MAX_FILES = 500;
const MAX_BYTES = 256 * 1024;

/**
 * The `PYTHONPATH` of a check with a linked virtual environment. Packages that are installed in editable mode lead to the
 * working tree; the check has to import them from its checkout.
 *
 * @returns undefined if no package of the repository is installed that way
 */
export function pythonPath(
  root: string,
  checkout: string,
  linked: readonly string[],
  given: string | undefined,
): string | undefined {
  const found = new Set<string>();
  for (const path of linked)
    for (const packages of sitePackages(join(root, path)))
      for (const source of sourcesIn(packages)) {
        const way = relative(root, source);
        const isInside = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
        if (isInside) found.add(join(checkout, way));
      }
  if (found.size === 0) return undefined;
  return [...found, ...(given ? [given] : [])].join(delimiter);
}

function sitePackages(environment: string): readonly string[] {
  const versions = namesIn(join(environment, "lib")).filter((name) => name.startsWith("python"));
  return [
    ...versions.map((name) => join(environment, "lib", name, "site-packages")),
    join(environment, "Lib", "site-packages"),
  ];
}

/** Directories of `.pth` files, and those that the finders of setuptools map packages to. */
function sourcesIn(packages: string): readonly string[] {
  const names = namesIn(packages).slice(0, MAX_FILES);
  return names.flatMap((name) => {
    const file = join(packages, name);
    if (name.endsWith(".pth")) return textOf(file).split(/\r?\n/).filter(isAbsolute);
    if (!/^__editable__.*_finder\.py$/.test(name)) return [];
    const quoted = [...textOf(file).matchAll(/'[\w.]+': '([^'\n]+)'/g)];
    return quoted
      .map(([, path = ""]) => path)
      .filter(isAbsolute)
      .map((path) => dirname(path));
  });
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir).sort();
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return statSync(file).size > MAX_BYTES ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
