import { serverTable } from "./mcp-server.mjs";

export async function run() {
  await serverTable();
}
