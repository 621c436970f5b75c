// The tools that Waymark is compared with: the newest versions that run on Node 20, installed by
// `npm run bench:peers`.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  exactPackages,
  installedPackages,
  installPackages,
} from "../../scripts/install-packages.mjs";

const VERSIONS = {
  "backlog.md": "1.52.0",
  "mcp-shrimp-task-manager": "1.0.21",
  "@zeeg/dex": "0.16.0",
  ccusage: "20.0.24",
  "pg-boss": "10.3.2",
  "graphile-worker": "0.16.6",
};

export const NOT_INSTALLED = "not installed: npm run bench:peers";

export function bringPeers() {
  return installPackages("peers", exactPackages(VERSIONS));
}

export function arePeersThere() {
  return installedPackages("peers", exactPackages(VERSIONS)) !== undefined;
}

export function titled(name) {
  return `${name} ${VERSIONS[name].split(".").slice(0, 2).join(".")}`;
}

/** The script of the package's program; undefined if the peers are not installed. */
export function peerProgram(name) {
  const place = installedPackages("peers", exactPackages(VERSIONS));
  if (place === undefined) return undefined;
  const folder = join(place, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : Object.values(bin)[0]);
}

/** The exports of the package; undefined if the peers are not installed. */
export async function peerModule(name) {
  const place = installedPackages("peers", exactPackages(VERSIONS));
  if (place === undefined) return undefined;
  return import(pathToFileURL(createRequire(join(place, "package.json")).resolve(name)).href);
}
