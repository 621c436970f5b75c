/**
 * Model names as agents and providers spell them. Only declared forms are recognized: a name that is not a known model
 * after these steps has no price.
 */

/** Providers that put their name before the model: `anthropic/claude-…`, `openrouter/openai/gpt-…`. */
const PROVIDERS = new Set([
  "alibaba",
  "amazon-bedrock",
  "anthropic",
  "azure",
  "bedrock",
  "gemini",
  "google",
  "google-vertex",
  "google-vertex-anthropic",
  "models",
  "moonshot",
  "moonshotai",
  "openai",
  "openrouter",
  "qwen",
  "vercel",
  "vertex",
  "vertex_ai",
]);

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0`: a region, the vendor and a version around the name. */
const BEDROCK = /^(?:(?:apac|au|ca|eu|global|jp|us|us-gov)\.)?anthropic\.(.+?)(?:-v\d+(?::\d+)?)?$/;
/** `claude-sonnet-4-5[1m]`: the agent asks for the long context window. */
const CONTEXT = /\[1m\]$/;
/** `claude-sonnet-4-5@20250929` */
const VERTEX = /@(?:\d{8}|default|latest)$/;
/** `-20250929` or `-2026-09-29`: a snapshot of the model. */
const SNAPSHOT = /-(?:20\d{6}|20\d{2}-\d{2}-\d{2})$/;
/** `claude-sonnet-4.5`: some providers write the version with a dot. */
const DOTTED = /^(claude-.*\d)\.(\d.*)$/s;

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["claude-opus-4-0", "claude-opus-4"],
  ["claude-sonnet-4-0", "claude-sonnet-4"],
  ["claude-3-7-sonnet-latest", "claude-3-7-sonnet"],
  ["claude-3-5-haiku-latest", "claude-3-5-haiku"],
  ["claude-3.7-sonnet", "claude-3-7-sonnet"],
  ["claude-3.5-haiku", "claude-3-5-haiku"],
]);

/** The names under which a model may be listed, the most exact first. */
export function modelSpellings(model: string): readonly string[] {
  const given = model.trim();
  const name = withoutProviders(given.toLowerCase()).replace(CONTEXT, "");
  const plain = (BEDROCK.exec(name)?.[1] ?? name).replace(VERTEX, "");
  const hyphenated = plain.replace(DOTTED, "$1-$2");
  const base = hyphenated.replace(SNAPSHOT, "");
  const alias = ALIASES.get(plain) ?? ALIASES.get(base);
  return [
    ...new Set([
      given,
      given.toLowerCase(),
      name,
      plain,
      hyphenated,
      base,
      ...(alias ? [alias] : []),
    ]),
  ];
}

function withoutProviders(name: string): string {
  const parts = name.split("/");
  while (parts.length > 1 && PROVIDERS.has(parts[0] ?? "")) parts.shift();
  return parts.join("/");
}
