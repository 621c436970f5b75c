import type { IncomingMessage, ServerResponse } from "node:http";
import { MAX_KEYS, SESSION_PATH } from "../../../core/page-session.ts";
import { HttpError, readJson, sendJson } from "../routes.ts";
import { type Access, type Spent, serverProof } from "./access.ts";
import { type SignInCommand, sendMessagePage } from "./message-page.ts";

/** The address of the sign-in page. Its script (`surfaces/web/sign-in.ts`) sends the code from the hash. */
const OPEN = "/open";
export const PROOF = "/proof";
/** Such as `newToken` makes. */
const CHALLENGE = /^[\w-]{43}$/;

/** A one-time link; `to` is the address on this server that it leads to. */
export function openingUrl(port: number, access: Access, to?: string): string {
  const place = to === undefined ? "" : `?to=${encodeURIComponent(to)}`;
  return `http://127.0.0.1:${port}${OPEN}#${access.newCode()}${place}`;
}

export interface Opening {
  readonly port: number;
  readonly access: Access;
  readonly command: SignInCommand;
}

/**
 * Answers the requests by which a browser signs in, and by which pages and programs recognize this server before they
 * send it a secret. Returns false for any other request.
 */
export async function letIn(
  request: IncomingMessage,
  response: ServerResponse,
  { pathname, searchParams }: URL,
  { port, access, command }: Opening,
): Promise<boolean> {
  const challenge = searchParams.get("challenge") ?? "";
  const isChallenge = CHALLENGE.test(challenge);
  const asked = `${request.method} ${pathname}`;
  if (asked === `GET ${OPEN}`)
    sendMessagePage(response, 200, {
      title: "Signing in",
      message: "",
      state: "signing-in",
      command,
    });
  else if (asked === `POST ${OPEN}`) {
    await spendCode(request, access);
    sendJson(response, 200, access.issueKey(port));
  } else if (asked === `GET ${SESSION_PATH}` && isChallenge) {
    const untils = searchParams.getAll("until").slice(0, MAX_KEYS).map(Number);
    sendJson(response, 200, access.greet(port, untils, challenge));
  } else if (asked === `GET ${PROOF}` && isChallenge)
    sendJson(response, 200, { proof: serverProof(access.token, challenge, port) });
  else return false;
  return true;
}

async function spendCode(request: IncomingMessage, access: Access): Promise<void> {
  const body = await readJson(request);
  const code = typeof body === "object" && body && "code" in body ? body.code : undefined;
  const spent = typeof code === "string" ? access.spend(code, Date.now()) : "unknown";
  if (spent !== "ok") throw refusalOf(spent);
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
