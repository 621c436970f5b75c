// Decides whether the bundle must be rebuilt.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const INPUTS = ["agent-data", "app-icons", "build", "licenses", "program", "wat"].map(
  (name) => `scripts/${name}.mjs`,
);
INPUTS.push("package.json", "package-lock.json");

/** Whether a source is newer than the bundle in `dist`, or there is none. A failed build leaves none. */
export function isStale(root) {
  const bundle = join(root, "dist/cli.cjs");
  if (!existsSync(bundle)) return true;
  const built = statSync(bundle).mtimeMs;
  const isNewer = (file) => existsSync(file) && statSync(file).mtimeMs > built;
  const source = join(root, "src");
  // An installed package has no sources.
  if (!existsSync(source)) return false;
  return (
    INPUTS.some((file) => isNewer(join(root, file))) ||
    readdirSync(source, { recursive: true }).some((file) => isNewer(join(source, file)))
  );
}
