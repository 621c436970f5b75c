// How each agent is installed, pointed at the scripted model, and started without a user.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { exactPackages, installPackages } from "../scripts/install-packages.mjs";
import { chatApi, geminiApi, responsesApi } from "./model.mjs";

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
  copilot: {
    package: "@github/copilot",
    version: "1.0.102",
    program: "npm-loader.js",
    runtime: "node",
    api: chatApi,
    files: () => ({ ".copilot/mcp-config.json": '{ "mcpServers": {} }\n' }),
    start: (url) => ({
      env: {
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_API_KEY: "none",
        COPILOT_MODEL: "scripted",
        COPILOT_OFFLINE: "true",
      },
      args: [
        "-p",
        PROMPT,
        "--allow-all-tools",
        "--no-auto-update",
        "--disable-builtin-mcps",
        "--trust-folder",
      ],
    }),
    toldIn: chatResults,
  },
  kilo: {
    package: "@kilocode/cli-linux-x64",
    version: "7.7.9",
    program: "bin/kilo",
    runtime: "none",
    only: "linux-x64",
    api: chatApi,
    files: () => ({ ".config/kilo/kilo.json": '{\n  // mine\n  "share": "disabled"\n}\n' }),
    start: (url) => ({
      env: { ...KILO, KILO_CONFIG_CONTENT: JSON.stringify(scriptedProvider(url)) },
      args: ["run", "--format", "json", "--auto", "--model", "scripted/scripted", PROMPT],
    }),
    toldIn: chatResults,
    /** Settings that the program adds by itself. */
    adds: /^\.config\/kilo\/kilo\.json$/,
  },
  kimi: {
    package: "@moonshot-ai/kimi-code",
    version: "2.1.0",
    program: "dist/main.mjs",
    runtime: "node",
    api: chatApi,
    files: () => ({
      ".kimi-code/config.toml": '[tools]\ndisabled = ["CronCreate"] # not for me\n',
    }),
    start: (url) => ({
      env: kimiModel(url),
      args: ["--output-format", "stream-json", "-p", PROMPT],
    }),
    toldIn: chatResults,
  },
  omp: {
    package: "@oh-my-pi/pi-coding-agent",
    version: "18.2.3",
    program: "dist/cli.js",
    runtime: "bun",
    api: chatApi,
    files: (url) => ({
      ".omp/agent/models.yml": ompModels(url),
      ".omp/agent/mcp.json": '{ "mcpServers": {} }\n',
    }),
    start: () => ({
      env: { PI_SKIP_VERSION_CHECK: "1" },
      args: [...OMP, "--mode", "json", "--auto-approve", "-p", PROMPT],
    }),
    toldIn: chatResults,
    // MCP servers are connected while the first request runs, and their tools are mounted as devices.
    wait: 3_000,
    call: (input) => ({
      tool: "write",
      input: { i: "Planning", path: "xd://mcp__waymark_todos", content: JSON.stringify(input) },
    }),
  },
  openclaw: {
    package: "openclaw",
    version: "2026.9.6",
    program: "openclaw.mjs",
    runtime: "node",
    api: chatApi,
    files: (url, cwd) => ({ ".openclaw/openclaw.json": openclawConfig(url, cwd) }),
    start: () => ({
      env: { OPENCLAW_DISABLE_UPDATE_CHECK: "1", DO_NOT_TRACK: "1" },
      args: ["agent", "--local", "--agent", "main", "--message", PROMPT],
    }),
    toldIn: chatResults,
    // MCP tools are deferred.
    call: (input) => ({ tool: "tool_call", input: { id: "waymark__todos", args: input } }),
  },
};

function chatResults({ messages = [] }) {
  return messages.filter(({ role }) => role === "tool").map(({ content }) => text(content));
}

export const KILO = Object.fromEntries(
  [
    "AUTOUPDATE",
    "MODELS_FETCH",
    "LSP_DOWNLOAD",
    "DEFAULT_PLUGINS",
    "SESSION_INGEST",
    "PRESENCE",
    "SHARE",
  ].map((name) => [`KILO_DISABLE_${name}`, "1"]),
);

export function scriptedProvider(url) {
  return {
    autoupdate: false,
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    enabled_providers: ["scripted"],
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: `${url}/v1`, apiKey: "none" },
        models: {
          scripted: {
            name: "scripted",
            tool_call: true,
            limit: { context: 100_000, output: 8_000 },
          },
        },
      },
    },
  };
}

export function kimiModel(url) {
  return {
    KIMI_MODEL_NAME: "scripted",
    KIMI_MODEL_API_KEY: "none",
    KIMI_MODEL_PROVIDER_TYPE: "openai",
    KIMI_MODEL_BASE_URL: `${url}/v1`,
    KIMI_MODEL_MAX_CONTEXT_SIZE: "100000",
    KIMI_MODEL_CAPABILITIES: "tool_use",
    KIMI_CODE_NO_AUTO_UPDATE: "1",
    KIMI_DISABLE_TELEMETRY: "1",
  };
}

const MODEL = {
  id: "scripted",
  name: "scripted",
  reasoning: false,
  input: ["text"],
  contextWindow: 100_000,
  maxTokens: 8_000,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};
const providerAt = (url) => ({
  baseUrl: `${url}/v1`,
  apiKey: "none",
  api: "openai-completions",
  models: [MODEL],
});

export const OMP = ["model", "smol", "slow"]
  .flatMap((name) => [`--${name}`, "scripted/scripted"])
  .concat("--no-title", "--no-lsp");

/** JSON is YAML. */
export function ompModels(url) {
  return JSON.stringify({ providers: { scripted: providerAt(url) } });
}

function openclawConfig(url, workspace) {
  const defaults = { model: { primary: "scripted/scripted" }, workspace, skipBootstrap: true };
  return `{
  // My own settings
  "models": { "mode": "merge", "providers": { "scripted": ${JSON.stringify(providerAt(url))} } },
  "agents": { "defaults": ${JSON.stringify(defaults)} }
}
`;
}

const OS = process.platform === "win32" ? "win" : process.platform;
const CPU = process.arch === "arm64" ? "aarch64" : process.arch;
/** Programs that run agents which need another runtime than this one. */
const RUNTIMES = {
  node: { package: `node-${OS}-${process.arch}`, version: "26.10.0", program: "bin/node" },
  bun: { package: `@oven/bun-${process.platform}-${CPU}`, version: "1.4.4", program: "bin/bun" },
};

/** Installs an agent. Returns the words that start it. */
export async function installAgent(agent, { package: name, version, program, runtime }, say) {
  const place = await installPackages(agent, exactPackages({ [name]: version }), { say });
  const file = join(place, "node_modules", ...name.split("/"), program);
  if (runtime === "none") return [executable(file)];
  const { [runtime]: other } = RUNTIMES;
  if (!other) return [process.execPath, file];
  const packages = exactPackages({ [other.package]: other.version });
  const modules = join(
    await installPackages(`runtime-${runtime}`, packages, { say }),
    "node_modules",
  );
  return [executable(join(modules, ...other.package.split("/"), other.program)), file];
}

function executable(file) {
  chmodSync(file, 0o755);
  return file;
}

/** Why an agent cannot run on this machine. */
export function skipReason({ only }) {
  const here = `${process.platform}-${process.arch}`;
  return only !== undefined && only !== here
    ? `its package is for ${only}, this is ${here}`
    : undefined;
}

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
