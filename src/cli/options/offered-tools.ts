/** Of every command that offers tools to agents. */
export const TOOLS_OPTION = {
  type: "string",
  value: "NAMES",
  summary: "Which tools, divided by commas: all is every list tool, tasks the team's; else todos",
  words: "tools",
} as const;
