// Other versions of Node than the running one, downloaded on first use.
import { join } from "node:path";
import { exactPackages, installPackages } from "./install-packages.mjs";

/** The newest release of each line that the tests run on. */
export const VERSIONS = { 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" };

/** The path of the program. */
export async function installNode(line) {
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${line}`;
  const spec = `npm:node-${system}-${process.arch}@${VERSIONS[line]}`;
  const place = await installPackages(name, exactPackages({ [name]: spec }));
  const program = process.platform === "win32" ? "node.exe" : "node";
  return join(place, "node_modules", name, "bin", program);
}
