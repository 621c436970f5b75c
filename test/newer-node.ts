import { installNode } from "../scripts/node-versions.mjs";
import { reasonAgainst } from "./skipped.ts";

/** The path of a Node with built-in SQLite: the running one, otherwise a downloaded one. */
export let newerNode = process.execPath;

/** Why none is available, or an empty string. */
export const NO_NEWER_NODE = await reasonAgainst("newer Node", async () => {
  if (!process.getBuiltinModule?.("node:sqlite")) newerNode = await installNode(24);
});
