import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();

interface Icon {
  readonly src: string;
  readonly sizes: string;
  readonly type: string;
  readonly purpose?: string;
}

/** Width, height and the color of the pixel in the middle of a PNG file without filters. */
function readPng(bytes: Buffer) {
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const at = bytes.indexOf("IDAT");
  const pixels = inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)));
  const corner = [...pixels.subarray(1, 5)];
  const start = Math.floor(height / 2) * (1 + width * 4) + 1 + Math.floor(width * 0.36) * 4;
  return { sizes: `${width}x${height}`, corner, mark: [...pixels.subarray(start, start + 4)] };
}

test("offers the page as an app, with icons and without a token", async () => {
  const stage = await on((machine) => {
    machine.run(["todo", "add", "one", "--session", "demo"]);
  });
  const page = await stage.open();
  const client = await page.context().newCDPSession(page);
  const { url, errors, data } = await client.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  expect(new URL(url).pathname).toBe("/app.webmanifest");
  const manifest = JSON.parse(data ?? "");
  // Chromium demands these before it offers to install a page.
  expect(manifest).toMatchObject({ name: "Waymark", start_url: "/", display: "standalone" });
  const icons: readonly Icon[] = manifest.icons;
  for (const { src, sizes, type, purpose } of icons.filter((each) => each.type === "image/png")) {
    // As a browser does: without the token of the page.
    const answer = await fetch(new URL(src, stage.url()));
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type]);
    const found = readPng(Buffer.from(await answer.arrayBuffer()));
    expect(found.sizes).toBe(sizes);
    expect(found.mark).toEqual([0xb0, 0x4a, 0x22, 255]);
    // The system cuts the corners of a maskable icon itself.
    expect(found.corner[3]).toBe(purpose === "maskable" ? 255 : 0);
  }
  expect(icons.map(({ sizes }) => sizes)).toEqual(
    expect.arrayContaining(["192x192", "512x512", "any"]),
  );

  // An installed page starts at the address of the manifest, with the key of the browser.
  const started = await page.context().newPage();
  await started.goto(new URL(manifest.start_url, stage.url()).href);
  await started.locator(".track").first().waitFor();
  expect(started.url()).toBe(stage.url());
  // A browser that is not signed in gets the sign-in page and no data.
  const other = await stage.visit();
  await other.goto(new URL(manifest.start_url, stage.url()).href);
  await other.getByRole("heading", { name: "Get a new link" }).waitFor();
});

test("colors the frame of the app like the page", async () => {
  const stage = await on(() => {});
  const page = await stage.open({ colorScheme: "dark" });
  const frame = () =>
    page.evaluate(
      () =>
        [...document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")].find(
          ({ media }) => matchMedia(media).matches,
        )?.content,
    );
  const ground = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--bg"));
  for (const theme of ["system", "light", "dark"]) {
    await page.locator(`html[data-theme=${theme}]`).waitFor();
    expect([theme, await frame()]).toEqual([theme, await ground()]);
    await page.keyboard.press("d");
  }
});
