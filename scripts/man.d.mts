import type { CommandDefinitions } from "./reference-cli.mjs";

export function manPage(definitions: CommandDefinitions, version: string): string;
export function roff(given: string): string;
