import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A command that probably proves the work in a repository; undefined if none is known. */
export function suggestCheck(root: string): string | undefined {
  const script = packageScript(root);
  if (script !== undefined) return script;
  const target = makeTarget(root);
  if (target !== undefined) return `make ${target}`;
  const known = FILES.find(({ file }) => existsSync(join(root, file)));
  return known?.command;
}

const FILES = [
  { file: "Cargo.toml", command: "cargo test" },
  { file: "go.mod", command: "go test ./..." },
  { file: "pytest.ini", command: "python -m pytest" },
  { file: "pyproject.toml", command: "python -m pytest" },
] as const;

const LOCKS = [
  { file: "pnpm-lock.yaml", command: "pnpm" },
  { file: "yarn.lock", command: "yarn" },
  { file: "bun.lock", command: "bun run" },
] as const;

/** npm writes this script into every new package. */
const PLACEHOLDER = "no test specified";

function packageScript(root: string): string | undefined {
  try {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const name = ["test", "check", "build"].find((each) => typeof scripts?.[each] === "string");
    if (name === undefined || scripts[name].includes(PLACEHOLDER)) return undefined;
    const manager = LOCKS.find(({ file }) => existsSync(join(root, file)))?.command ?? "npm";
    return manager === "npm" && name !== "test" ? `npm run ${name}` : `${manager} ${name}`;
  } catch {
    // No package, or one that cannot be read.
    return undefined;
  }
}

function makeTarget(root: string): string | undefined {
  try {
    const text = readFileSync(join(root, "Makefile"), "utf8");
    return ["test", "check", "build"].find((name) => new RegExp(`^${name}\\s*:`, "m").test(text));
  } catch {
    return undefined;
  }
}
