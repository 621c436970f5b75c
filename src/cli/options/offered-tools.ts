/** For commands that offer tools to agents. */
export const TOOLS_OPTION = {
  type: "string",
  value: "NAMES",
  summary: "Tools to offer, comma-separated, or all",
  default: "todos",
  completions: "tools",
} as const;
