import { spawn } from "node:child_process";

/** The program that opens an address, by platform. */
function opener(platform: NodeJS.Platform, url: string): readonly [string, readonly string[]] {
  if (platform === "darwin") return ["open", [url]];
  // The address is an argument of no shell: `start` would read its `&`.
  if (platform === "win32") return ["rundll32", ["url.dll,FileProtocolHandler", url]];
  return ["xdg-open", [url]];
}

/** Asks for a browser. Where there is none, whoever reads the address opens it. */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): void {
  const [program, args] = opener(platform, url);
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
