import { readFileSync } from "node:fs";

/** The version of the package that the bundle is a part of. */
export function version(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
