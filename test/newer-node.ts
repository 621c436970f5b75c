import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../node_modules/.cache/newer-node", import.meta.url));

/** The path of a Node that has SQLite inside: the running one, else one brought from the registry. */
export function newerNode(): string {
  if (process.getBuiltinModule?.("node:sqlite")) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const binary = process.platform === "win32" ? "node.exe" : "node";
  const path = join(CACHE, "node_modules", name, "bin", binary);
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const quiet = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  const install = spawnSync("npm", ["install", "--prefix", CACHE, ...quiet, `${name}@24`], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (install.status !== 0 || !existsSync(path))
    throw new Error(`A newer Node could not be installed: ${install.stderr}`);
  return path;
}
