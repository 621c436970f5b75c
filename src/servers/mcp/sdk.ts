/**
 * The protocol, by its official implementation. Only this file imports it at run time: the build
 * makes a bundle of it that no other command has to load.
 */
export {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  InMemoryServerEventBus,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
