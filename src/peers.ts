import { WaymarkError } from "./core/error.ts";

/**
 * A package that the user installs beside Waymark. `package.json` accepts every version, so that none blocks the
 * installation of Waymark; entry points refuse unsupported versions on import.
 */
export interface Peer {
  readonly name: string;
  /** The first supported version, `major.minor`. */
  readonly from: string;
  /** The first major version that is not supported. */
  readonly below: number;
  /** The packages to install instead of an unsupported version. */
  readonly install: string;
}

export const INK: Peer = { name: "ink", from: "6.8", below: 9, install: "ink@6 react@19" };
export const REACT: Peer = { name: "react", from: "19.0", below: 20, install: "react@19" };
export const AI: Peer = { name: "ai", from: "6.0", below: 8, install: "ai@6" };

/**
 * Throws if the installed version of a peer is not supported. If the version cannot be found (bundled programs,
 * runtimes without Node's modules), every version is accepted.
 * @param entry The imported entry point of Waymark, such as `waymark/ink`.
 * @param url The URL of the importing module.
 */
export function assertSupported(entry: string, url: string, peers: readonly Peer[]): void {
  for (const peer of peers) {
    const found = installedVersion(peer.name, url);
    if (found !== undefined && !isSupported(peer, found))
      throw new WaymarkError(
        "unsupported_peer",
        `${entry} works with ${peer.name} ${peer.from} to ${peer.below - 1}.x, but ${peer.name} ${found} is installed. ` +
          `Run: npm install ${peer.install}`,
      );
  }
}

function isSupported({ from, below }: Peer, version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [firstMajor = 0, firstMinor = 0] = from.split(".").map(Number);
  if (major >= below) return false;
  return major > firstMajor || (major === firstMajor && minor >= firstMinor);
}

/** Searches where Node does, but reads the file directly: most packages do not export their package.json. */
function installedVersion(name: string, url: string): string | undefined {
  try {
    const load = globalThis.process?.getBuiltinModule;
    const { createRequire } = load("node:module");
    const { existsSync, readFileSync } = load("node:fs");
    const folders = createRequire(url).resolve.paths(name) ?? [];
    const file = folders
      .map((folder) => `${folder}/${name}/package.json`)
      .find((path) => existsSync(path));
    if (file === undefined) return undefined;
    const { version } = JSON.parse(readFileSync(file, "utf8"));
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}
