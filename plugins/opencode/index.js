import { Waymark as hooks } from "./hooks.js";

/** The hooks of `waymark setup opencode`, and what setup writes to the configuration: the MCP server instead of the own list. */
export const WaymarkPlugin = async (input) => ({
  ...(await hooks(input)),
  async config(config) {
    config.mcp = {
      waymark: { type: "local", command: ["waymark", "mcp"], enabled: true },
      ...config.mcp,
    };
    const { permission = {} } = config;
    const rules = typeof permission === "string" ? { "*": permission } : permission;
    config.permission = { ...rules, todowrite: "deny" };
  },
});
