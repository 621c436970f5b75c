import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { AI, assertSupported, INK, type Peer, REACT } from "../src/peers.ts";
import { temporaryDirectory } from "./stores/temporary-directory.ts";

/** The URL of a module with these versions installed beside it. */
function beside(versions: Readonly<Record<string, string>>): string {
  const root = temporaryDirectory();
  for (const [name, version] of Object.entries(versions)) {
    const folder = join(root, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), version);
  }
  return pathToFileURL(join(root, "node_modules", "waymark", "index.js")).href;
}

const check = (peer: Peer, version: string) =>
  assertSupported("waymark/x", beside({ [peer.name]: JSON.stringify({ version }) }), [peer]);

test.each<[Peer, readonly string[], readonly string[]]>([
  [INK, ["6.8.0", "6.10.2", "7.0.0", "8.0.0", "8.4.1"], ["5.2.1", "6.0.0", "6.7.9", "9.0.0"]],
  [REACT, ["19.0.0", "19.3.1"], ["18.3.1", "20.0.0"]],
  [AI, ["6.0.0", "6.0.326", "7.0.170"], ["4.3.0", "5.0.277", "8.0.0-beta.1"]],
])("accepts the supported versions of a peer and refuses others", (peer, good, bad) => {
  for (const version of good) expect(() => check(peer, version)).not.toThrow();
  for (const version of bad)
    expect(() => check(peer, version)).toThrow(
      `${peer.name} ${version} is installed. Run: npm install ${peer.install}`,
    );
});

test("accepts a peer whose version cannot be found", () => {
  const urls = [beside({}), beside({ ink: "broken" }), beside({ ink: "{}" }), "https://a/b.js", ""];
  for (const url of urls) expect(() => assertSupported("waymark/ink", url, [INK])).not.toThrow();
});

test("names the entry point, the supported versions and the one that was found", () => {
  const url = beside({ ink: '{"version":"5.2.1"}', react: '{"version":"18.3.1"}' });
  expect(() => assertSupported("waymark/ink", url, [INK, REACT])).toThrow(
    "waymark/ink works with ink 6.8 to 8.x, but ink 5.2.1 is installed.",
  );
});
