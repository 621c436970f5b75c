/**
 * home/handoff: lists that wait for the next session of an agent. Each offer is one file; the session that renames it
 * first gets it.
 */
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Handoff } from "../../core/handoff/handoff.ts";
import { HOUR } from "../../core/text/duration.ts";
import { isSymlink, replaceWithoutSync } from "../../engines/storage/files.ts";
import { uniqueToken } from "../../engines/storage/unique-token.ts";

/** A list that the next session of an agent in a directory continues. */
export interface Offer {
  /** Id of the agent program; any agent if absent. */
  readonly to?: string;
  /** The directory of the new session. */
  readonly cwd: string;
  readonly expiresAt: number;
  readonly handoff: Handoff;
}

export const OFFERED_FOR = HOUR;

function directoryOf(home: string): string {
  return join(home, "handoffs");
}

/** Offers a list. A former offer of the same session is replaced. */
export function offerHandoff(home: string, offer: Offer): void {
  const dir = directoryOf(home);
  if (isSymlink(dir)) return;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { session } = offer.handoff.from;
  for (const { name, offer: known } of offersIn(dir))
    if (known.handoff.from.session === session) rmSync(join(dir, name), { force: true });
  const file = join(dir, `${uniqueToken()}.json`);
  replaceWithoutSync(file, JSON.stringify({ ...offer, cwd: realDirectory(offer.cwd) }));
}

/** Takes the newest offer for an agent in a directory; undefined if there is none. Each offer is taken once. */
export function takeOffer(
  home: string,
  { agentType, cwd, session }: TakenBy,
  now: number,
): Handoff | undefined {
  const dir = directoryOf(home);
  const here = realDirectory(cwd);
  const fitting = offersIn(dir)
    .filter(({ name, offer }) => {
      if (offer.expiresAt < now) rmSync(join(dir, name), { force: true });
      const isFor = offer.to === undefined || agentType === undefined || offer.to === agentType;
      return offer.expiresAt >= now && offer.cwd === here && isFor;
    })
    .filter(({ offer }) => offer.handoff.from.session !== session)
    .sort((a, b) => b.offer.expiresAt - a.offer.expiresAt);
  for (const { name, offer } of fitting) {
    const taken = join(dir, `${name}.taken`);
    try {
      renameSync(join(dir, name), taken);
    } catch {
      // Another session was faster.
      continue;
    }
    rmSync(taken, { force: true });
    return offer.handoff;
  }
  return undefined;
}

export interface TakenBy {
  readonly agentType?: string | undefined;
  readonly cwd: string;
  readonly session: string;
}

interface Named {
  readonly name: string;
  readonly offer: Offer;
}

function offersIn(dir: string): readonly Named[] {
  if (isSymlink(dir)) return [];
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => {
        const offer = readOffer(join(dir, name));
        return offer ? [{ name, offer }] : [];
      });
  } catch {
    // No list was offered yet.
    return [];
  }
}

function readOffer(file: string): Offer | undefined {
  try {
    const read = JSON.parse(readFileSync(file, "utf8")) as Partial<Offer> | null;
    const { cwd, expiresAt, handoff } = read ?? {};
    const isOffer =
      typeof cwd === "string" &&
      typeof expiresAt === "number" &&
      typeof handoff?.from?.session === "string" &&
      Array.isArray(handoff.todos);
    return isOffer ? (read as Offer) : undefined;
  } catch {
    // Damaged, or another session has it.
    return undefined;
  }
}

function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
