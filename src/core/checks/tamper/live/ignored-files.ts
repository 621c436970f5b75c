import { baseName } from "../languages.ts";

/** Files of one machine: `.env`, `.env.local`, `settings.local.json`, `local_settings.py`. */
const LOCAL_FILE =
  /^\.env(?:\.(?:[\w-]{1,40}\.)?local)?$|\.local(?:\.\w{1,10})?$|^local[._]settings\.\w{1,10}$|^settings[._]local\.\w{1,10}$|^local\.properties$|^docker-compose\.override\.ya?ml$/i;
const INSTALLED = /(?:^|\/)(?:node_modules|site-packages|__pycache__|\.venv|\.tox|\.gradle)\//;
/**
 * Outputs and scratch folders at the root of a project or of a package in it. Below `src`, folders with
 * these names hold sources.
 */
const OUTPUT =
  /^(?:(?:packages|apps|crates|services|modules|libs)\/[^/]+\/)?(?:build|dist|out|target|tmp|temp|local|venv|coverage|\.cache|\.local|\.next|\.nuxt|\.svelte-kit)\//;

/** Where a path is, relative to the working directory; undefined if it is outside or if that is unknown. */
function relativePath(path: string, cwd: string | undefined): string | undefined {
  if (!path.startsWith("/")) return path.replace(/^(?:\.\/)+/, "");
  const root = cwd === undefined ? undefined : `${cwd.replace(/(?<!\/)\/+$/, "")}/`;
  return root !== undefined && path.startsWith(root) ? path.slice(root.length) : undefined;
}

/** Whether a file belongs to one machine by its name: git usually ignores it. */
export function isLocalFile(path: string): boolean {
  return LOCAL_FILE.test(baseName(path));
}

/**
 * Whether git usually ignores a file of the project. By conventions only: the rules of the repository are not
 * known here.
 */
export function isUsuallyIgnored(path: string, cwd: string | undefined): boolean {
  const relative = relativePath(path, cwd);
  // Files of other projects are no part of the check.
  if (relative === undefined && cwd !== undefined) return false;
  return (
    isLocalFile(path) ||
    INSTALLED.test(relative ?? path) ||
    (relative !== undefined && OUTPUT.test(relative))
  );
}
