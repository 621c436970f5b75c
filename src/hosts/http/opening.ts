import type { IncomingMessage, ServerResponse } from "node:http";
import type { Access, Spent } from "./access.ts";
import { type SignInCommand, sendMessagePage } from "./message-page.ts";
import { HttpError, readJson } from "./routes.ts";

/** The address of the sign-in page. Its script (`surfaces/web/sign-in.ts`) sends the code from the hash. */
const OPEN = "/open";

/** A one-time link; `to` is the address on this server that it leads to. */
export function openingUrl(port: number, access: Access, to?: string): string {
  const place = to === undefined ? "" : `?to=${encodeURIComponent(to)}`;
  return `http://127.0.0.1:${port}${OPEN}#${access.newCode()}${place}`;
}

export interface Opening {
  readonly access: Access;
  readonly command: SignInCommand;
  /** The browser has a valid session: it needs no code. */
  readonly isSignedIn: boolean;
}

/** Answers requests for the sign-in page; returns false for any other request. */
export async function letIn(
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
  opening: Opening,
): Promise<boolean> {
  const asked = `${request.method} ${pathname}`;
  if (asked === `GET ${OPEN}`)
    sendMessagePage(response, 200, {
      title: "Signing in",
      message: "",
      state: "signing-in",
      command: opening.command,
    });
  else if (asked === `POST ${OPEN}`) await exchange(request, response, opening);
  else return false;
  return true;
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  { access, isSignedIn }: Opening,
): Promise<void> {
  const body = await readJson(request);
  const code = typeof body === "object" && body && "code" in body ? body.code : undefined;
  const spent = typeof code === "string" ? access.spend(code, Date.now()) : "unknown";
  if (spent !== "ok" && !isSignedIn) throw refusalOf(spent);
  response.writeHead(204, {
    "cache-control": "no-store",
    "set-cookie": `${access.cookieName}=${access.cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000`,
  });
  response.end();
}

function refusalOf(spent: Exclude<Spent, "ok">): HttpError {
  switch (spent) {
    case "used":
      return new HttpError(410, "link_used", "Get a new link to sign in with this browser.", {
        title: "This link was already used",
      });
    case "expired":
      return new HttpError(410, "link_expired", "Get a new link, and open it within a minute.", {
        title: "This link has expired",
      });
    case "unknown":
      return new HttpError(
        401,
        "no_access",
        "The server does not know the code in this link. It may have been restarted. Get a new link.",
        { title: "This link does not work" },
      );
  }
}
