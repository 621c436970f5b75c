import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fields, number, text } from "../../agents/common/values.ts";
import { replaceWithoutSync } from "../../engines/storage/files.ts";
import { ancestryOf, type Process, pidNamespace } from "./processes.ts";

/** A claim that a command made, so that a later command of the same caller need not name its epoch. */
export interface CommandClaim {
  /** The URL of the store; empty for the one of this home. */
  readonly store: string;
  readonly task: string;
  readonly owner: string;
  readonly epoch: number;
}

/** The caller of a command: the session of an agent, or the shell that runs it. */
export interface CommandCaller {
  readonly session?: string | undefined;
  readonly pid: number;
}

interface ClaimFile extends CommandClaim {
  /** Empty for a person. */
  readonly session: string;
  /** `PID START_TIME` of the processes above the command, nearest first. */
  readonly above: readonly string[];
  readonly at: number;
}

const DIR = "claims";
/** As long as the longest lease. */
const KEPT = 30 * 86_400_000;

/** Remembers a claim. Failures only cost the comfort: the caller then has to name the epoch. */
export function rememberCommandClaim(
  home: string,
  claim: CommandClaim,
  { session = "", pid }: CommandCaller,
): void {
  const above = session === "" ? aboveOf(pid) : [];
  const store = storeKey(claim.store);
  const file: ClaimFile = { ...claim, store, session, above, at: Date.now() };
  try {
    for (const [name, known] of filesIn(home))
      if (Date.now() - known.at > KEPT) rmSync(join(home, DIR, name), { force: true });
    const name = `${hash([store, claim.task, claim.owner, session, above[0] ?? ""])}.json`;
    replaceWithoutSync(join(home, DIR, name), JSON.stringify(file));
  } catch {
    // A read-only home.
  }
}

/**
 * The epoch of the claim that this caller made; undefined if it is unknown. The shell that is
 * nearest above the command counts: workers that share a terminal do not take each other's claims.
 */
export function recallCommandClaim(
  home: string,
  { store, task, owner }: Omit<CommandClaim, "epoch">,
  { session = "", pid }: CommandCaller,
): number | undefined {
  const known = filesIn(home)
    .map(([, file]) => file)
    .filter((file) => file.store === storeKey(store) && file.task === task && file.owner === owner)
    .sort((a, b) => b.epoch - a.epoch);
  if (known.length === 0) return undefined;
  if (session !== "") return known.find((file) => file.session === session)?.epoch;
  return epochOf(known, aboveOf(pid));
}

/** The epoch that was claimed by the nearest of the processes above a command; `claims` have the latest first. */
export function epochOf(
  claims: readonly Pick<ClaimFile, "above" | "epoch">[],
  callers: readonly string[],
): number | undefined {
  for (const one of callers) {
    const [nearest] = claims
      .map(({ above, epoch }) => ({ distance: above.indexOf(one), epoch }))
      .filter(({ distance }) => distance !== -1)
      .sort((a, b) => a.distance - b.distance);
    if (nearest) return nearest.epoch;
  }
  return undefined;
}

function aboveOf(pid: number): readonly string[] {
  return callersIn(ancestryOf(pid), pidNamespace());
}

/** The processes above a command, without the outermost one, which all commands of the machine share. */
export function callersIn(ancestry: readonly Process[], namespace: string): readonly string[] {
  const above = ancestry.slice(1);
  return (above.length > 1 ? above.slice(0, -1) : above).map(
    (one) => `${namespace}:${one.pid} ${one.startTime}`,
  );
}

/** A URL may contain a password. */
function storeKey(url: string): string {
  return url === "" ? "" : hash([url]);
}

function hash(parts: readonly string[]): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24);
}

function filesIn(home: string): readonly (readonly [string, ClaimFile])[] {
  const dir = join(home, DIR);
  let names: readonly string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const file = readClaim(join(dir, name));
      return file ? [[name, file] as const] : [];
    });
}

function readClaim(path: string): ClaimFile | undefined {
  let given: ReturnType<typeof fields>;
  try {
    given = fields(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // Removed in the meantime, or not ours.
    return undefined;
  }
  const task = text(given?.task);
  const owner = text(given?.owner);
  const epoch = number(given?.epoch);
  if (task === undefined || owner === undefined || epoch === undefined) return undefined;
  const above = Array.isArray(given?.above) ? given.above : [];
  return {
    store: typeof given?.store === "string" ? given.store : "",
    task,
    owner,
    epoch,
    session: typeof given?.session === "string" ? given.session : "",
    above: above.filter((each) => typeof each === "string"),
    at: number(given?.at) ?? 0,
  };
}
