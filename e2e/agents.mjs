// How each agent is installed, pointed at the scripted model, and started without a user.
import { join } from "node:path";
import { geminiApi, responsesApi } from "./model.mjs";

const PROMPT = "Fix the parser. Keep a todo list while you work.";

export const AGENTS = {
  codex: {
    package: "@openai/codex",
    version: "0.166.0",
    program: "bin/codex.js",
    api: responsesApi,
    /** Existing user settings, which must be restored including comments. */
    files: {
      ".codex/config.toml":
        '# My own settings\nmodel_reasoning_effort = "low" # enough for me\n\n[tui]\nnotifications = false\n',
    },
    start: (url) => ({
      env: { MODEL_KEY: "none" },
      args: [
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        ...settings({
          model: "gpt-5.5",
          model_provider: "scripted",
          "model_providers.scripted.name": "scripted",
          "model_providers.scripted.base_url": `${url}/v1`,
          "model_providers.scripted.wire_api": "responses",
          "model_providers.scripted.env_key": "MODEL_KEY",
          "model_providers.scripted.request_max_retries": 0,
          "model_providers.scripted.stream_max_retries": 0,
          check_for_update_on_startup: false,
          "analytics.enabled": false,
        }),
        PROMPT,
      ],
    }),
    /** The results that the model received for its calls. */
    toldIn: ({ input = [] }) =>
      input.filter((item) => item.type === "function_call_output").map((item) => text(item.output)),
  },
  gemini: {
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "bundle/gemini.js",
    api: geminiApi,
    files: {
      ".gemini/settings.json": `{
  // My own settings
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": { "usageStatisticsEnabled": false },
  "general": { "enableAutoUpdate": false },
  "ui": { "hideTips": true }
}
`,
    },
    start: (url) => ({
      env: {
        GEMINI_API_KEY: "none",
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
      args: [
        "--model",
        "gemini-2.5-pro",
        "--approval-mode",
        "yolo",
        "--output-format",
        "stream-json",
        "--prompt",
        PROMPT,
      ],
    }),
    toldIn: ({ contents = [] }) =>
      contents
        .flatMap((content) => content.parts ?? [])
        .flatMap((part) => (part.functionResponse ? [text(part.functionResponse.response)] : [])),
  },
};

/** Every string of a value, one after the other. */
function text(value) {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(text).join("\n");
}

export function settings(values) {
  return Object.entries(values).flatMap(([key, value]) => [
    "-c",
    `${key}=${JSON.stringify(value)}`,
  ]);
}

export function programOf(agent, place) {
  const { package: name, program } = AGENTS[agent];
  return join(place, "node_modules", ...name.split("/"), program);
}
