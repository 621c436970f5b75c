import type { Snippet } from "../../scripts/snippets.mjs";

/** Packages that the snippets are for. */
export const SNIPPET_PACKAGES = [
  "ai",
  "@anthropic-ai/sdk",
  "openai",
  "@agentclientprotocol/sdk",
  "ink",
  "react",
  "@types/react",
  "csstype",
];

/** The examples in the doc comments of a bundle of declarations. */
export function examplesIn(name: string, declarations: string): readonly Snippet[] {
  return [...declarations.matchAll(/^\s*\* ```ts\n([\s\S]*?)^\s*\* ```/gm)].map(
    ([, code = ""], n) => ({
      name: `${name}: example ${n + 1}`,
      program: `${code.replace(/^\s*\* ?/gm, "")}\nexport {};\n`,
      isHeavy: false,
    }),
  );
}
