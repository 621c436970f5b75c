import { type Dirent, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ignoredDirectories } from "../../git/ignored.ts";
import type { Repository } from "../../git/repository.ts";

const MAX_DIRECTORIES = 500;
const MODULES = "node_modules";
/** Caches that tools write to: each checkout has its own. */
const CACHES = new Set([".cache", ".vite", ".vite-temp", ".vitest", ".tmp"]);

/**
 * Links ignored directories with installed dependencies into a checkout. Returns their paths. A directory that is linked
 * as a whole is the user's own; the packages of `node_modules` are linked one by one, so that a check
 * that removes or replaces packages changes only its checkout.
 */
export async function linkDependencies(
  repository: Repository,
  checkout: string,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const { root } = repository;
  const found = (await ignoredDirectories(repository, signal))
    .filter((path) => names.includes(basename(path)))
    .slice(0, MAX_DIRECTORIES);
  const linked: string[] = [];
  for (const path of found) {
    const from = join(root, path);
    const to = join(checkout, path);
    if (lstatSync(to, { throwIfNoEntry: false })) continue;
    mkdirSync(dirname(to), { recursive: true });
    if (basename(path) === MODULES && lstatSync(from).isDirectory()) linkPackages(from, to, root);
    else symlinkSync(from, to, "junction");
    linked.push(path);
  }
  return linked;
}

/** Links each package. Links inside the repository, as workspaces have, lead to the checkout. */
function linkPackages(from: string, to: string, root: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (CACHES.has(entry.name)) continue;
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory() && (entry.name.startsWith("@") || entry.name === ".bin"))
      linkPackages(source, target, root);
    else linkEntry(entry, source, target, root);
  }
}

function linkEntry(entry: Dirent, source: string, target: string, root: string): void {
  const own = entry.isSymbolicLink() ? readlinkSync(source) : undefined;
  if (own !== undefined && !isAbsolute(own) && isInside(resolve(dirname(source), own), root))
    symlinkSync(own, target);
  else symlinkSync(source, target, entry.isDirectory() ? "junction" : "file");
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
