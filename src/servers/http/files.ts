import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WaymarkError } from "../../core/error.ts";
import type { Handler, Route } from "./routes.ts";

const TYPES = {
  "index.html": "text/html; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "app.css": "text/css; charset=utf-8",
  "favicon.svg": "image/svg+xml",
  "favicon-you.svg": "image/svg+xml",
  "app.webmanifest": "application/manifest+json",
  "icon-192.png": "image/png",
  "icon-512.png": "image/png",
  "icon-maskable-512.png": "image/png",
  "sign-in.css": "text/css; charset=utf-8",
  "sign-in.js": "text/javascript; charset=utf-8",
} as const;

type Name = keyof typeof TYPES;

/** Paths of the page's views. The page is served at each, so that a view can be reloaded and shared as a link. */
const PAGES = ["/", "/track/:id", "/tasks", "/tasks/:id"];

const INDEX = "index.html";

/**
 * Serves the page and its files, and no other files. They are public: a browser sends no token when the user opens a
 * URL, so the page signs in before it requests data.
 */
export function pageRoutes(folder: string): readonly Route[] {
  const page = sender(folder, INDEX);
  const parts = (Object.keys(TYPES) as Name[]).filter((name) => name !== INDEX);
  return [
    ...PAGES.map((path) => ({ method: "GET", path, handle: page }) as const),
    ...parts.map(
      (name) => ({ method: "GET", path: `/${name}`, handle: sender(folder, name) }) as const,
    ),
  ];
}

function sender(folder: string, name: Name): Handler {
  const body = read(folder, name);
  const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return ({ request, response }) => {
    response.setHeader("etag", tag);
    response.setHeader("cache-control", "no-cache");
    if (request.headers["if-none-match"] === tag) {
      response.writeHead(304).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[name], "content-length": body.length });
    response.end(body);
  };
}

function read(folder: string, name: Name): Buffer {
  try {
    return readFileSync(join(folder, name));
  } catch (cause) {
    throw new WaymarkError(
      "page_missing",
      `Cannot read the files of the page: ${(cause as Error).message}. Reinstall Waymark, or run \`npm run build\` in a clone.`,
      { cause },
    );
  }
}
