import type { Command } from "./command.ts";

/** The usage after the name of a command, one string per form: */
export function usageForms({ usage, arguments: args, options }: Command): readonly string[] {
  if (usage) return usage;
  const words = args.map(({ name, optional, repeatable }) => {
    const word = repeatable ? `${name}...` : name;
    return optional ? `[${word}]` : word;
  });
  return [[...words, ...(Object.keys(options).length > 0 ? ["[options]"] : [])].join(" ")];
}
