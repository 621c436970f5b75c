import { installNode } from "../scripts/node-versions.mjs";
import { reasonAgainst } from "./skipped.ts";

/** The path of a Node with SQLite built in: the running one, or else a downloaded one. */
export let newerNode = process.execPath;

/** Why there is none, or an empty string. */
export const NO_NEWER_NODE = await reasonAgainst("newer Node", async () => {
  if (!process.getBuiltinModule?.("node:sqlite")) newerNode = await installNode(24);
});
