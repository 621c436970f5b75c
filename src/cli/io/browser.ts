import { spawn } from "node:child_process";

/** The program that opens a URL on this platform. */
function opener(platform: NodeJS.Platform, url: string): readonly [string, readonly string[]] {
  if (platform === "darwin") return ["open", [url]];
  // Not `start`, which is run by a shell and would interpret `&`.
  if (platform === "win32") return ["rundll32", ["url.dll,FileProtocolHandler", url]];
  return ["xdg-open", [url]];
}

/** Opens a browser if there is one. The URL is printed as well, so failures are ignored. */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): void {
  const [program, args] = opener(platform, url);
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
