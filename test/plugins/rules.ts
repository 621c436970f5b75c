/**
 * The rules of each store and registry, written down from its documentation; none of its schemas is part of this
 * repository. Where a format permits unknown fields, the rules are stricter: a misspelled field would have no effect.
 */
import { exactly, fields, list, mapOf, type Rule, text } from "./shape.ts";

const VERSION = text({ pattern: /^\d+\.\d+\.\d+$/ });
const URL = text({ pattern: /^https:\/\/\S+$/ });
const KEBAB = text({ pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/, longest: 64 });
/** A path inside the package. */
const INSIDE = text({ pattern: /^\.\/(?!.*\.\.)/ });
const WORDS = list(text());
const AUTHOR = fields({ name: text() }, { email: text(), url: URL });

const ABOUT = {
  description: text(),
  author: AUTHOR,
  homepage: URL,
  repository: URL,
  license: text(),
  keywords: WORDS,
};

/** A hooks file: event, groups, commands. The event has to be one of the agent. */
export const hooksFile = (events: readonly string[], named = {}): Rule => {
  const hook = fields({
    type: exactly("command"),
    command: text({ pattern: /^waymark hook / }),
    ...named,
  });
  const group = fields({ hooks: list(hook, { least: 1 }) });
  return fields({ hooks: mapOf(list(group, { least: 1 }), exactly(...events)) });
};

/** Agent Plugins 1.0.0, section 5: a closed object. */
export const agentPlugin = fields(
  {
    $schema: exactly("https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"),
    name: text({ pattern: /^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, longest: 64 }),
  },
  { version: VERSION, ...ABOUT, extensions: mapOf(mapOf(() => [])) },
);

/** Agent Plugins 1.0.0, section 7.2: the stdio variant. The command is one word, without variables. */
export const agentPluginServers = fields({
  $schema: exactly("https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"),
  mcpServers: mapOf(
    fields(
      { type: exactly("stdio"), command: text({ pattern: /^(?:[\w.-]+|\.\/[^$\s]+)$/ }) },
      { args: WORDS, env: mapOf(text()), cwd: INSIDE },
    ),
  ),
});

/** agentskills.io: the fields before the text of a skill. */
export const skill = (directory: string): Rule =>
  fields(
    { name: exactly(directory), description: text({ longest: 1024 }) },
    { license: text(), compatibility: text({ longest: 500 }) },
  );

export const claudePlugin = fields({ name: KEBAB }, { version: VERSION, ...ABOUT });

export const claudeServers = fields({
  mcpServers: mapOf(
    fields(
      { command: text() },
      { type: exactly("stdio"), args: WORDS, env: mapOf(text()), alwaysLoad: exactly(true, false) },
    ),
  ),
});

export const claudeMarketplace = fields(
  {
    name: KEBAB,
    owner: AUTHOR,
    plugins: list(fields({ name: KEBAB, source: INSIDE }, { description: text() }), { least: 1 }),
  },
  { description: text() },
);

export const codexPlugin = fields(
  { name: KEBAB, version: VERSION, description: text() },
  {
    ...ABOUT,
    skills: INSIDE,
    mcpServers: INSIDE,
    hooks: INSIDE,
    interface: fields(
      { displayName: text(), shortDescription: text({ longest: 60 }), category: text() },
      { longDescription: text(), developerName: text(), capabilities: WORDS, websiteURL: URL },
    ),
  },
);

export const codexServers = fields({
  mcpServers: mapOf(
    fields(
      { command: text() },
      {
        args: WORDS,
        env_vars: WORDS,
        default_tools_approval_mode: exactly("auto", "prompt", "writes", "approve"),
      },
    ),
  ),
});

export const codexMarketplace = fields({
  name: KEBAB,
  interface: fields({ displayName: text() }),
  plugins: list(
    fields({
      name: KEBAB,
      source: fields({ source: exactly("local"), path: INSIDE }),
      policy: fields({
        installation: exactly("AVAILABLE", "INSTALLED_BY_DEFAULT", "NOT_AVAILABLE"),
        authentication: exactly("ON_INSTALL", "ON_USE"),
      }),
      category: text(),
    }),
    { least: 1 },
  ),
});

/** `trust` is refused in an extension. */
export const geminiExtension = fields(
  { name: KEBAB, version: VERSION },
  {
    description: text(),
    mcpServers: mapOf(fields({ command: text() }, { args: WORDS })),
    contextFileName: text({ pattern: /^[\w.-]+$/ }),
    excludeTools: WORDS,
  },
);

/** An npm package that opencode can load: an ES module whose entry is in the package. */
export const opencodePackage = fields({
  name: text({ pattern: /^[a-z0-9-]+$/ }),
  version: VERSION,
  description: text(),
  keywords: WORDS,
  homepage: URL,
  repository: fields({ type: exactly("git"), url: text(), directory: text() }),
  license: text(),
  type: exactly("module"),
  engines: fields({ node: text() }),
  main: INSIDE,
  files: list(text(), { least: 1 }),
});

/** The MCP registry, schema of 2025-12-11, with the rules for packages on npm. */
export const registryServer = fields(
  {
    $schema: exactly(
      "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    ),
    name: text({ pattern: /^io\.github\.[A-Za-z0-9-]+\/[A-Za-z0-9._-]+$/, longest: 200 }),
    description: text({ longest: 100 }),
    version: VERSION,
    packages: list(
      fields(
        {
          registryType: exactly("npm"),
          identifier: text(),
          version: VERSION,
          transport: fields({ type: exactly("stdio") }),
        },
        {
          runtimeHint: exactly("npx"),
          packageArguments: list(fields({ type: exactly("positional"), value: text() })),
        },
      ),
      { least: 1 },
    ),
  },
  {
    title: text({ longest: 100 }),
    websiteUrl: URL,
    repository: fields({ url: URL, source: exactly("github") }),
  },
);
