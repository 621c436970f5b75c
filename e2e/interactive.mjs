// How each agent starts in a terminal, and how its model asks the user for a permission or an answer.
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AGENTS, kimiModel, OMP, settings } from "./agents.mjs";
import { chatApi, geminiApi, messagesApi, responsesApi } from "./model.mjs";

export const PROMPT = "Do the work";
export const COMMAND = "touch made-by-agent.txt";
export const QUESTION = "Which date format should the parser accept?";

const OPTIONS = [
  { label: "ISO 8601", description: "Only 2026-11-17" },
  { label: "Both", description: "ISO and US" },
];
const ASKED = { question: QUESTION, header: "Format", options: OPTIONS };
const NODE = Number(process.versions.node.split(".")[0]);

/**
 * `asks` is the call that waits for the user, `files` are existing user settings, `pass` answers
 * the dialogs that a program shows before its first turn.
 */
export const INTERACTIVE = {
  claude: {
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    native: { scope: "claude-code", program: "claude" },
    api: messagesApi,
    files: (cwd) => ({
      ".claude.json": JSON.stringify({
        hasCompletedOnboarding: true,
        theme: "dark",
        customApiKeyResponses: { approved: ["none"], rejected: [] },
        projects: {
          [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true },
        },
      }),
    }),
    start: (url) => ({
      // The program starts in auto mode otherwise, which asks nothing.
      args: ["--permission-mode", "default", PROMPT],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_AUTOUPDATER: "1",
      },
    }),
    asks: {
      permission: { tool: "Bash", input: { command: COMMAND, description: "Create a file" } },
      question: {
        tool: "AskUserQuestion",
        input: { questions: [{ ...ASKED, multiSelect: false }] },
      },
    },
    shows: { permission: /Do you want to proceed/, question: /Enter to select/ },
  },
  codex: {
    package: "@openai/codex",
    version: "0.166.0",
    api: responsesApi,
    files: (cwd) => ({
      ".codex/config.toml": `[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"\n`,
    }),
    start: (url) => ({
      args: [
        "--dangerously-bypass-hook-trust",
        ...settings({
          model: "gpt-5.5",
          model_provider: "scripted",
          "model_providers.scripted.name": "scripted",
          "model_providers.scripted.base_url": `${url}/v1`,
          "model_providers.scripted.wire_api": "responses",
          "model_providers.scripted.env_key": "MODEL_KEY",
          check_for_update_on_startup: false,
          "analytics.enabled": false,
          approval_policy: "on-request",
          sandbox_mode: "read-only",
          "features.default_mode_request_user_input": true,
        }),
        PROMPT,
      ],
      env: { MODEL_KEY: "none" },
    }),
    // A dialog about a newer model; its second choice keeps the present one.
    pass: [[/Try new model|use existing model|Use existing/i, ["Down", "Enter"]]],
    asks: {
      permission: {
        tool: "exec_command",
        input: {
          cmd: COMMAND,
          sandbox_permissions: "require_escalated",
          justification: "May I create the file?",
        },
      },
      question: {
        tool: "request_user_input",
        input: { questions: [{ id: "format", ...ASKED }] },
      },
    },
    shows: {
      permission: /Would you like to run the following command/,
      question: /enter to submit answer/,
    },
  },
  gemini: {
    package: "@google/gemini-cli",
    version: "0.61.0",
    api: geminiApi,
    files: (cwd) => ({
      ".gemini/settings.json": JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
        ui: { theme: "Default" },
      }),
      ".gemini/trustedFolders.json": JSON.stringify({ [cwd]: "TRUST_FOLDER" }),
    }),
    start: (url) => ({
      args: ["--model", "gemini-2.5-pro", "-i", PROMPT],
      env: {
        GEMINI_API_KEY: "none",
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
    }),
    asks: {
      permission: { tool: "run_shell_command", input: { command: COMMAND } },
      question: {
        tool: "ask_user",
        input: { questions: [{ ...ASKED, type: "choice", multiSelect: false }] },
      },
    },
    shows: { permission: /Allow execution of/, question: /Enter to select/ },
  },
  opencode: {
    package: "opencode-ai",
    version: "1.18.33",
    native: { scope: "opencode", program: "bin/opencode" },
    api: chatApi,
    files: () => ({
      ".config/opencode/opencode.json": JSON.stringify({
        permission: { bash: "ask", edit: "ask", question: "allow" },
      }),
    }),
    start: (url) => ({
      args: ["-m", "scripted/scripted", "--prompt", PROMPT],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          autoupdate: false,
          share: "disabled",
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
        }),
      },
    }),
    asks: {
      permission: { tool: "bash", input: { command: COMMAND, description: "Create a file" } },
      question: { tool: "question", input: { questions: [{ ...ASKED, multiple: false }] } },
    },
    shows: { permission: /Permission required/, question: /enter submit/ },
  },
  qwen: {
    package: "@qwen-code/qwen-code",
    // Newer versions need a newer Node.
    version: NODE >= 22 ? "0.24.4" : "0.15.10",
    api: chatApi,
    files: () => ({
      ".qwen/settings.json": JSON.stringify({
        $version: 3,
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
        ui: { theme: "Default" },
      }),
    }),
    start: (url) => ({
      args: ["--auth-type", "openai", "-i", PROMPT],
      env: { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "scripted" },
    }),
    asks: {
      permission: {
        tool: "run_shell_command",
        input: { command: COMMAND, is_background: false, description: "Create a file" },
      },
      question: {
        tool: "ask_user_question",
        input: { questions: [{ ...ASKED, multiSelect: false }] },
      },
    },
    shows: { permission: /Allow execution of/, question: /Enter: Select/ },
  },
};

/** More agents that wait for the user. `types` has the screen on which the prompt can be typed. */
export const WAITING = {
  ...INTERACTIVE,
  copilot: {
    ...AGENTS.copilot,
    files: (cwd) => ({
      ".copilot/config.json": JSON.stringify({ trusted_folders: [cwd], banner: "never" }),
    }),
    start: (url) => ({
      args: ["--no-auto-update", "--disable-builtin-mcps", "-i", PROMPT],
      env: AGENTS.copilot.start(url).env,
    }),
    asks: {
      permission: { tool: "bash", input: { command: COMMAND, description: "Create a file" } },
      question: {
        tool: "ask_user",
        input: {
          message: QUESTION,
          requestedSchema: {
            type: "object",
            properties: { format: { type: "string", enum: ["ISO 8601", "Both"] } },
            required: ["format"],
          },
        },
      },
    },
    shows: { permission: /Do you want to run this command/, question: /enter accept/ },
  },
  kimi: {
    ...AGENTS.kimi,
    files: () => ({}),
    start: (url) => ({ args: [], env: kimiModel(url) }),
    pass: [[/Trust this folder\?/, ["Enter"]]],
    types: /context: \d/,
    asks: {
      permission: { tool: "Bash", input: { command: COMMAND, description: "Create a file" } },
      question: { tool: "AskUserQuestion", input: { questions: [ASKED] } },
    },
    shows: { permission: /Run this command/, question: /↑↓ select/ },
    // The second key submits the answers.
    answer: { question: ["Enter", "Enter"] },
  },
  omp: {
    ...AGENTS.omp,
    files: (_, url) => ({
      ...AGENTS.omp.files(url),
      ".omp/agent/config.yml": JSON.stringify({
        startup: { quiet: true, checkUpdate: false, setupWizard: false },
        setupVersion: 999,
      }),
    }),
    start: () => ({
      args: [...OMP, "--approval-mode", "always-ask", PROMPT],
      env: { PI_SKIP_VERSION_CHECK: "1" },
    }),
    asks: {
      permission: { tool: "bash", input: { i: "Creating", command: COMMAND } },
      question: {
        tool: "ask",
        input: { i: "Asking", questions: [{ id: "format", question: QUESTION, options: OPTIONS }] },
      },
    },
    shows: { permission: /Allow tool: bash/, question: /Enter select/ },
  },
};

/** The command line that starts the program of an installed agent. */
export function commandOf(agent, place) {
  const { package: name, native } = INTERACTIVE[agent];
  const modules = join(place, "node_modules");
  const program = native && nativeProgram(join(modules, dirname(name)), native);
  if (program) return [program];
  const folder = join(modules, ...name.split("/"));
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return [process.execPath, join(folder, typeof bin === "string" ? bin : Object.values(bin)[0])];
}

/** Two of them ship an executable in a package per platform. */
function nativeProgram(dir, { scope, program }) {
  const prefix = `${scope}-${process.platform}-${process.arch}`;
  const found = readdirSync(dir)
    .filter((name) => name.startsWith(prefix))
    .sort((a, b) => a.length - b.length)
    .map((name) => join(dir, name, program))
    .find((file) => existsSync(file));
  if (found) chmodSync(found, 0o755);
  return found;
}
