import { statfsSync } from "node:fs";
import type { Warn } from "./warn.ts";

/** File systems of other machines, by the numbers that Linux knows them by. */
const NETWORKS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x517b, "SMB"],
  [0x01021997, "9p"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x0bd00bd0, "Lustre"],
]);

/** What is wrong with a directory that another machine keeps; nothing for one of this machine. */
export function networkProblem(dir: string): string | undefined {
  // Other systems number them otherwise, each in its own way.
  if (process.platform !== "linux") return undefined;
  const name = NETWORKS.get(statfsSync(dir).type >>> 0);
  return (
    name &&
    `${dir} is on a network file system (${name}). Locks do not always hold there: let one machine at a time use ` +
      "it, name a local place with WAYMARK_HOME, or share tasks over PostgreSQL."
  );
}

export function warnOfNetwork(dir: string, warn: Warn): void {
  const problem = networkProblem(dir);
  if (problem !== undefined) warn(problem);
}
