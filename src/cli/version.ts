import { readFileSync } from "node:fs";

/** The version of the package that this file is a part of. */
export function version(): string {
  // Two directories up from src/cli and from every place that the build puts this file.
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
