import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Every name below a directory with its type and content. */
export function treeOf(dir: string): Readonly<Record<string, string>> {
  const tree: Record<string, string> = {};
  const walk = (name: string) => {
    const path = join(dir, name);
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) tree[name] = `link to ${readlinkSync(path)}`;
    else if (stats.isDirectory()) {
      tree[name] = "directory";
      for (const each of readdirSync(path)) walk(join(name, each));
    } else if (stats.isFile())
      tree[name] = createHash("sha256").update(readFileSync(path)).digest("hex");
    else tree[name] = "something else";
  };
  walk(".");
  return tree;
}
