import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import { CommandError, UsageError } from "../core/error.ts";
import { type Repository, repositoryOf } from "../git/repository.ts";
import { isDirectory } from "../home/is-directory.ts";
import { type CheckDefinition, commandProblem, hashOf, nameProblem } from "./definition.ts";
import { readProvided } from "./provided.ts";
import type { ChecksContext } from "./request.ts";
import { changeApprovals, type LastRun, readApprovals, readLastRun } from "./store.ts";

/** Whether a check may run: approved by the user, or of the repository and trusted, changed since, or never trusted. */
export type Trust = "yours" | "trusted" | "changed" | "untrusted";

/** A check of a repository. */
export interface KnownCheck extends CheckDefinition {
  readonly trust: Trust;
  /** The file that defines it; absent for checks of the user. */
  readonly file?: string;
  readonly hash: string;
  readonly lastRun?: LastRun;
}

/** The place that checks belong to: a repository, or a directory outside of git. */
export interface Place {
  /** Root of the working tree, or the directory. */
  readonly root: string;
  /** Linked working trees of one repository share their checks. */
  readonly key: string;
  readonly repository: Repository | undefined;
}

export interface CheckList {
  readonly place: Place;
  readonly checks: readonly KnownCheck[];
  /** Definitions of the repository that cannot be used, with the reason. */
  readonly problems: readonly string[];
}

/** Whether a check may run. */
export function mayRun({ trust }: Pick<KnownCheck, "trust">): boolean {
  return trust === "yours" || trust === "trusted";
}

export async function placeOf(cwd: string): Promise<Place> {
  if (!isDirectory(cwd))
    throw new CommandError(`The directory ${cwd} does not exist, so nothing can be checked in it.`);
  const repository = await repositoryOf(cwd);
  const root = repository?.root ?? realpathSync(cwd);
  return { root, key: repository?.commonDir ?? root, repository };
}

/** The checks of a directory's repository: those of the user, then those that the repository brings along. */
export async function listChecks({ home }: ChecksContext, cwd: string): Promise<CheckList> {
  const place = await placeOf(cwd);
  const { checks: own, trusted } = readApprovals(home.path, place.key);
  const { checks: provided, problems } = readProvided(place.root);
  const withRun = (check: Omit<KnownCheck, "lastRun">): KnownCheck => {
    const lastRun = readLastRun(home.path, place.key, check.name);
    return { ...check, ...(lastRun && { lastRun }) };
  };
  const names = new Set(own.map(({ name }) => name));
  return {
    place,
    problems,
    checks: [
      ...own.map((check) => withRun({ ...check, trust: "yours", hash: hashOf(check) })),
      ...provided
        .filter(({ name }) => !names.has(name))
        .map((check) => {
          const hash = hashOf(check);
          const known = Object.hasOwn(trusted, check.name) ? trusted[check.name] : undefined;
          const trust = known === hash ? "trusted" : known === undefined ? "untrusted" : "changed";
          return withRun({ ...check, trust, hash });
        }),
    ],
  };
}

export type NewCheck = Pick<CheckDefinition, "command" | "timeoutMs" | "links"> & {
  /** Default: derived from the command. */
  readonly name?: string | undefined;
};

/** Approves a check for the repository of a directory. It runs in that directory. */
export async function addCheck(
  { home }: ChecksContext,
  cwd: string,
  { name: given, command, timeoutMs, links }: NewCheck,
): Promise<CheckDefinition> {
  const bad = commandProblem(command);
  if (bad !== undefined) throw new UsageError(`Invalid COMMAND. ${bad}`);
  const name = given ?? nameFor(command);
  const badName = nameProblem(name);
  if (badName !== undefined)
    throw new UsageError(`Invalid --name ${JSON.stringify(name.slice(0, 60))}. ${badName}`);
  const { root, key } = await placeOf(cwd);
  const directory = relative(root, realpathSync(cwd)).split(sep).join("/");
  const added = { name, command: command.trim(), timeoutMs, directory, links };
  await changeApprovals(home.path, key, (before) => {
    const known = before.checks.find((each) => each.name === name);
    if (known && hashOf(known) !== hashOf(added))
      throw new CommandError(
        `A check named ${name} exists: ${known.command}. Remove it with \`waymark check remove ${name}\`, or choose another --name.`,
      );
    return known ? before : { ...before, checks: [...before.checks, added] };
  });
  return added;
}

const WORD = /^(?:npm|pnpm|yarn|bun|npx|run|run-script|cargo|go|make|python3?|-m|node|\.\/.*)$/;

/** The name of a check that has none: `npm run lint` becomes `lint`, `pytest -q` becomes `pytest`. */
function nameFor(command: string): string {
  const words = command.trim().split(/\s+/);
  const word = words.find((each) => !WORD.test(each) && !each.startsWith("-")) ?? words[0] ?? "";
  const name = word.replace(/^.*\//, "").replace(/[^A-Za-z0-9._-]+/g, "-");
  return name.replace(/^[^A-Za-z0-9]+/, "").slice(0, 50) || "check";
}

/** Removes a check of the user, or the trust in a check of the repository. */
export async function removeCheck(
  context: ChecksContext,
  cwd: string,
  name: string,
): Promise<void> {
  const { place, checks } = await listChecks(context, cwd);
  const found = checks.find((check) => check.name === name);
  if (!found) throw unknownCheck(name, checks);
  if (found.trust === "untrusted")
    throw new CommandError(
      `The check ${name} is defined in ${found.file} and is not trusted, so it cannot run. To remove it, edit that file.`,
    );
  await changeApprovals(context.home.path, place.key, (before) => ({
    ...before,
    checks: before.checks.filter((check) => check.name !== name),
    trusted: Object.fromEntries(Object.entries(before.trusted).filter(([each]) => each !== name)),
  }));
}

/** Trusts checks of the repository as they are defined now (default: all of them). Returns those that were not trusted before. */
export async function trustChecks(
  context: ChecksContext,
  cwd: string,
  names: readonly string[] = [],
): Promise<readonly KnownCheck[]> {
  const { place, checks } = await listChecks(context, cwd);
  const wanted = names.map((name) => {
    const found = checks.find((check) => check.name === name);
    if (!found) throw unknownCheck(name, checks);
    return found;
  });
  const chosen = (names.length === 0 ? checks : wanted).filter((check) => !mayRun(check));
  if (chosen.length > 0)
    await changeApprovals(context.home.path, place.key, (before) => ({
      ...before,
      trusted: {
        ...before.trusted,
        ...Object.fromEntries(chosen.map(({ name, hash }) => [name, hash])),
      },
    }));
  return chosen;
}

export function unknownCheck(name: string, checks: readonly KnownCheck[]): UsageError {
  const known =
    checks.length === 0
      ? "This repository has none."
      : `Use one of: ${checks.map((check) => check.name).join(", ")}.`;
  return new UsageError(`No check is named ${JSON.stringify(name.slice(0, 60))}. ${known}`);
}
