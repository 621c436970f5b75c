import type { LoadedDefinitions } from "./reference-cli.mjs";

export function withSettingsTable(page: string, definitions: LoadedDefinitions): string;
export function configSchema(definitions: LoadedDefinitions): Record<string, unknown>;
