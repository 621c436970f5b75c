// Written by scripts/agent-data.mjs from the registry of agents. Do not edit.
import type { Identity } from "../identity.ts";

/** The identities of all agents, in the order of the registry. */
export const IDENTITIES: readonly Omit<Identity, "basis">[] = [
  {
    id: "waymark",
    name: "Waymark",
    code: "wm",
  },
  {
    id: "claude-code",
    name: "Claude Code",
    code: "cc",
    color: {
      terminal: {
        dark: 173,
        light: 130,
      },
      page: {
        dark: "#e99b76",
        light: "#b04a22",
      },
    },
    shortName: "claude",
    command: "claude",
    resumeCommand: "claude --resume SESSION",
    clients: ["claude-code"],
    callIdField: "claudecode/toolUseId",
    sessionVariable: "CLAUDE_CODE_SESSION_ID",
    showsStatusLine: true,
    streamCommand: "claude -p TASK --output-format stream-json --verbose",
    addServerCommand: "claude mcp add",
  },
  {
    id: "codex",
    name: "Codex",
    code: "cx",
    color: {
      terminal: {
        dark: 80,
        light: 24,
      },
      page: {
        dark: "#5cc3d8",
        light: "#0b6e85",
      },
    },
    shortName: "codex",
    command: "codex",
    resumeCommand: "codex resume SESSION",
    clients: ["codex"],
    sessionVariable: "CODEX_THREAD_ID",
    sessionFields: {
      session: "sessionId",
      agent: "threadId",
    },
    streamCommand: "codex exec --json TASK",
    addServerCommand: "codex mcp add",
    isExample: true,
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    code: "gm",
    color: {
      terminal: {
        dark: 141,
        light: 62,
      },
      page: {
        dark: "#b8a2fa",
        light: "#6e45cf",
      },
    },
    shortName: "gemini",
    command: "gemini",
    resumeCommand: "gemini --resume SESSION",
    clients: ["gemini-cli"],
    sessionVariable: "GEMINI_SESSION_ID",
  },
  {
    id: "opencode",
    name: "opencode",
    code: "oc",
    color: {
      terminal: {
        dark: 175,
        light: 126,
      },
      page: {
        dark: "#ee93c3",
        light: "#a82b74",
      },
    },
    shortName: "opencode",
    command: "opencode",
    resumeCommand: "opencode --session SESSION",
    clients: ["opencode"],
  },
  {
    id: "qwen",
    name: "Qwen Code",
    code: "qw",
    color: {
      terminal: {
        dark: 110,
        light: 60,
      },
      page: {
        dark: "#9db6ea",
        light: "#3e5c9a",
      },
    },
    shortName: "qwen",
    command: "qwen",
    resumeCommand: "qwen --resume SESSION",
    clients: ["qwen"],
  },
  {
    id: "kimi",
    name: "Kimi Code",
    code: "km",
    resumeCommand: "kimi --session SESSION",
  },
  {
    id: "kilo",
    name: "Kilo Code",
    code: "kl",
    shortName: "kilo",
    command: "kilo",
    resumeCommand: "kilo --session SESSION",
    clients: ["kilo"],
  },
  {
    id: "copilot",
    name: "Copilot CLI",
    code: "cp",
    color: {
      terminal: {
        dark: 79,
        light: 30,
      },
      page: {
        dark: "#6fd1c0",
        light: "#1f7468",
      },
    },
    shortName: "copilot",
    command: "copilot",
    resumeCommand: "copilot --resume SESSION",
    clients: ["copilot-cli"],
    sessionVariable: "COPILOT_AGENT_SESSION_ID",
    streamCommand: "copilot -p TASK --allow-all-tools --output-format json",
  },
  {
    id: "acp",
    name: "Agent Client Protocol",
    code: "ac",
  },
  {
    id: "pi",
    name: "pi",
    code: "pi",
    command: "pi",
    resumeCommand: "pi --session SESSION",
  },
  {
    id: "oh-my-pi",
    name: "oh-my-pi",
    code: "om",
    resumeCommand: "omp --resume SESSION",
  },
  {
    id: "openclaw",
    name: "OpenClaw",
    code: "ow",
  },
  {
    id: "continue",
    name: "Continue",
    code: "ct",
    command: "cn",
    clients: ["continue-cli-client"],
  },
  {
    id: "cline",
    name: "Cline",
    code: "cl",
    command: "cline",
    resumeCommand: "cline --id SESSION",
  },
  {
    id: "langchain",
    name: "LangChain",
    code: "lc",
  },
  {
    id: "agent-chatter",
    name: "agent-chatter",
    code: "at",
  },
  {
    id: "copilot-vscode",
    name: "Copilot Chat in VS Code",
    code: "cv",
    shortName: "vscode",
    clients: ["Visual Studio Code"],
  },
  {
    id: "cursor",
    name: "Cursor",
    code: "cu",
    shortName: "cursor",
    clients: ["cursor"],
  },
  {
    id: "grok",
    name: "Grok Build",
    code: "gr",
  },
  {
    id: "roo",
    name: "Roo Code",
    code: "ro",
  },
  {
    id: "goose",
    name: "Goose",
    code: "go",
  },
  {
    id: "kiro",
    name: "Kiro",
    code: "kr",
  },
  {
    id: "crush",
    name: "Crush",
    code: "cr",
  },
  {
    id: "droid",
    name: "Droid",
    code: "dr",
    command: "droid",
    resumeCommand: "droid --resume SESSION",
    clients: ["factory-cli-mcp-client"],
  },
  {
    id: "openhands",
    name: "OpenHands",
    code: "oh",
  },
  {
    id: "zed",
    name: "Zed",
    code: "zd",
    shortName: "zed",
    clients: ["Zed"],
  },
  {
    id: "hermes",
    name: "Hermes",
    code: "hm",
  },
  {
    id: "windsurf",
    name: "Windsurf",
    code: "ws",
    shortName: "windsurf",
    clients: ["windsurf"],
  },
];
