import { readFileSync } from "node:fs";

/** A snippet of the docs as a whole program. */
export interface Snippet {
  readonly name: string;
  readonly program: string;
}

interface Context {
  /** What the text around the snippet takes for granted. */
  readonly before?: string;
  readonly after?: string;
  /** What is only there for readers, or needs a type in TypeScript. */
  readonly replace?: Readonly<Record<string, string>>;
}

const AI = `
  import { generateText, stepCountIs, type LanguageModel, type ModelMessage, type Tool } from "ai";
  import { createTracker, systemPrompt } from "waymark";
  import { withWaymark } from "waymark/sdk/ai";
  declare const model: LanguageModel;
  declare const look: Tool;
  declare const [PROMPT, prompt]: string[];
  declare function shortened(messages: ModelMessage[]): ModelMessage[];
  const [mine, stopWhen] = [{ look }, stepCountIs(50)] as const;
`;

const OPENAI = `
  import type OpenAI from "openai";
  import { createTracker } from "waymark";
  import { chatSession, responsesSession } from "waymark/sdk/openai";
  declare const client: OpenAI;
  const tracker = createTracker();
`;

/** By the heading above the snippet. Those that are not here need packages that only `npm run test:sdk` has. */
const CONTEXTS: Readonly<Record<string, readonly Context[]>> = {
  "Build your own agent": [{}],
  "In the SDK that you use": [{ before: AI.replaceAll("PROMPT, prompt", "prompt") }],
  "Vercel AI SDK": [{ before: AI, after: "export { text };" }],
  Anthropic: [
    {
      before: `
        import type Anthropic from "@anthropic-ai/sdk";
        import { createTracker } from "waymark";
        import { anthropicSession } from "waymark/sdk/anthropic";
        declare const client: Anthropic;
        declare const look: Anthropic.Tool;
        declare const PROMPT: string;
        const tracker = createTracker();`,
      replace: { "let messages =": "const messages: Anthropic.MessageParam[] =" },
    },
  ],
  OpenAI: [
    {
      before: `${OPENAI}
        declare const look: OpenAI.ChatCompletionTool;
        declare const system: OpenAI.ChatCompletionMessageParam;
        declare const messages: OpenAI.ChatCompletionMessageParam[];`,
      after: "export { results };",
      replace: { "create({": 'create({ model: "scripted",', "choices[0];": "choices[0]!;" },
    },
    {
      before: `${OPENAI}
        declare const look: OpenAI.Responses.Tool;
        declare const input: OpenAI.Responses.ResponseInputItem[];`,
      after: "export { results };",
      replace: { "create({": 'create({ model: "scripted",' },
    },
  ],
  "A loop of your own": [
    {
      before: `
        import { createTracker, type ReadyTool } from "waymark";
        declare const PROMPT: string;
        declare const cut: boolean;
        declare const messages: { role: string; text: string }[];
        declare const [id, name, output]: [string, string, string];
        declare const input: unknown;
        declare const ours: ReadyTool;
        declare function askModel(
          messages: unknown[], tools: readonly ReadyTool[],
        ): Promise<{ text?: string }>;`,
      after: "export { text };",
    },
  ],
  "Tasks of a team": [
    {
      before: `
        import { taskTools } from "waymark";
        import { memoryTaskStore } from "waymark/tasks/memory";
        declare const input: unknown;
        let calls = 0;
        const who = "ann";`,
      after: "export { bob, text };",
      replace: { "await tool.": "await ann." },
    },
  ],
  "Editors: the Agent Client Protocol": [
    {
      before: `
        import { createTracker } from "waymark";
        import { acpEra, acpUpdates } from "waymark/acp";
        declare const client: Parameters<typeof acpUpdates>[1];
        declare const sessionId: string;
        declare function work(): Promise<void>;
        const tracker = createTracker();
        const era = acpEra(1);`,
    },
  ],
};

/** Packages that the snippets are for. */
export const SNIPPET_PACKAGES = ["ai", "@anthropic-ai/sdk", "openai", "@agentclientprotocol/sdk"];

/** The snippets in TypeScript and JavaScript, and the headings of those that are left out. */
export function snippetsIn(file: string): {
  readonly snippets: readonly Snippet[];
  readonly left: readonly string[];
} {
  const snippets: Snippet[] = [];
  const left: string[] = [];
  let heading = "";
  let place = 0;
  const parts = readFileSync(file, "utf8").matchAll(/^#+ (.+)$|^```[jt]s\n([\s\S]*?)^```/gm);
  for (const [, title, code] of parts) {
    if (title !== undefined) {
      heading = title;
      place = 0;
      continue;
    }
    const context = CONTEXTS[heading]?.[place++];
    if (!context) {
      left.push(heading);
      continue;
    }
    const { before = "", after = "", replace = {} } = context;
    const body = Object.entries(replace).reduce((text, [a, b]) => text.replace(a, b), code ?? "");
    snippets.push({
      name: `${file}: ${heading} ${place}`,
      program: `${before}\n${body}\n${after}`,
    });
  }
  return { snippets, left };
}

/** The examples in the doc comments of a bundle of declarations. */
export function examplesIn(name: string, declarations: string): readonly Snippet[] {
  return [...declarations.matchAll(/^\s*\* ```ts\n([\s\S]*?)^\s*\* ```/gm)].map(
    ([, code = ""], n) => ({
      name: `${name}: example ${n + 1}`,
      program: code.replace(/^\s*\* ?/gm, ""),
    }),
  );
}
