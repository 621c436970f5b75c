import { statfsSync } from "node:fs";
import type { Warn } from "./warn.ts";

/** Network file systems by their magic number (Linux `statfs`). */
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

/** Describes the problem with a directory on a network file system; undefined for a local one. */
export function networkProblem(dir: string): string | undefined {
  // The numbers are those of Linux.
  if (process.platform !== "linux") return undefined;
  const name = NETWORKS.get(statfsSync(dir).type >>> 0);
  return (
    name &&
    `${dir} is on a network file system (${name}), where locks are unreliable. Use it from one machine at a time, ` +
      "set WAYMARK_HOME to a local directory, or share tasks over PostgreSQL."
  );
}

export function warnOfNetwork(dir: string, warn: Warn): void {
  const problem = networkProblem(dir);
  if (problem !== undefined) warn(problem);
}
