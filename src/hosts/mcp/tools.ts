import type { Tool as Definition } from "@modelcontextprotocol/server";
import type { ToolId } from "../../core/guidance.ts";
import { TOOLS } from "../../tools/index.ts";
import { definitionOf, type Tool } from "../../tools/tool.ts";

/** The native tool alone: what a model reads of every tool, it reads in every request. */
export const DEFAULT_TOOLS: readonly ToolId[] = ["todos"];

/** The tools of these ids; of two with one name the shape of a call decides which is meant. */
export function selectTools(ids: readonly ToolId[]): readonly Tool[] {
  return TOOLS.filter(({ id }) => ids.includes(id));
}

export function toolFor(tools: readonly Tool[], name: string, input: unknown): Tool | undefined {
  const named = tools.filter((tool) => tool.name === name);
  return named.find((tool) => tool.fits?.(input)) ?? named[0];
}

/** Each name once, in an order that never changes. */
export function definitionsOf(tools: readonly Tool[]): Definition[] {
  const names = new Set<string>();
  return tools.flatMap((tool) => {
    if (names.has(tool.name)) return [];
    names.add(tool.name);
    const { name, description, inputSchema } = definitionOf(tool, "short");
    const schema = slim(inputSchema) as Definition["inputSchema"];
    if (tool.id !== "todos") return [{ name, description, inputSchema: schema }];
    return [
      {
        name,
        description,
        inputSchema: { ...schema, properties: { ...schema.properties, list: LIST } },
        // Claude Code hides tools until the model searches for them; nobody searches for a memory.
        _meta: { "anthropic/alwaysLoad": true },
      },
    ];
  });
}

/** Every tool takes it; that is said once. */
const LIST = { type: "string", description: "Only to go on with a list you were given the id of" };

/** What only says again what a refusal says in words would be read, and paid for, in every request. */
const LEFT_OUT = new Set(["additionalProperties", "minItems"]);

function slim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slim);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([field, value]) =>
      LEFT_OUT.has(field) ? [] : [[field, slim(value)]],
    ),
  );
}
