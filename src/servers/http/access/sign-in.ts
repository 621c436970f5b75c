import type { IncomingMessage, ServerResponse } from "node:http";
import { MAX_KEYS, SESSION_PATH } from "../../../core/page-session.ts";
import { HttpError, readJson, sendJson } from "../routes.ts";
import { type Access, type CodeResult, serverProof } from "./access.ts";
import { type SignInCommand, sendMessagePage } from "./message-page.ts";

/** The address of the sign-in page. Its script (`surfaces/web/sign-in.ts`) sends the code from the hash. */
const OPEN_PATH = "/open";
export const PROOF_PATH = "/proof";
/** The form of `newToken`. */
const CHALLENGE = /^[\w-]{43}$/;

/** Creates a one-time link that opens `to` on this server. */
export function signInUrl(port: number, access: Access, to?: string): string {
  const target = to === undefined ? "" : `?to=${encodeURIComponent(to)}`;
  return `http://127.0.0.1:${port}${OPEN_PATH}#${access.newCode()}${target}`;
}

export interface SignInOptions {
  readonly port: number;
  readonly access: Access;
  readonly command: SignInCommand;
}

/**
 * Handles sign-in, and the requests by which pages and programs verify this server before they send it a secret.
 * Returns false for any other request.
 */
export async function handleSignIn(
  request: IncomingMessage,
  response: ServerResponse,
  { pathname, searchParams }: URL,
  { port, access, command }: SignInOptions,
): Promise<boolean> {
  const challenge = searchParams.get("challenge") ?? "";
  const isChallenge = CHALLENGE.test(challenge);
  const route = `${request.method} ${pathname}`;
  if (route === `GET ${OPEN_PATH}`)
    sendMessagePage(response, 200, {
      title: "Signing in",
      message: "",
      state: "signing-in",
      command,
    });
  else if (route === `POST ${OPEN_PATH}`) {
    await redeemCode(request, access);
    sendJson(response, 200, access.issueKey(port));
  } else if (route === `GET ${SESSION_PATH}` && isChallenge) {
    const untils = searchParams.getAll("until").slice(0, MAX_KEYS).map(Number);
    sendJson(response, 200, access.proveTo(port, untils, challenge));
  } else if (route === `GET ${PROOF_PATH}` && isChallenge)
    sendJson(response, 200, { proof: serverProof(access.token, challenge, port) });
  else return false;
  return true;
}

async function redeemCode(request: IncomingMessage, access: Access): Promise<void> {
  const body = await readJson(request);
  const code = typeof body === "object" && body && "code" in body ? body.code : undefined;
  const result = typeof code === "string" ? access.redeem(code, Date.now()) : "unknown";
  if (result !== "ok") throw codeError(result);
}

function codeError(result: Exclude<CodeResult, "ok">): HttpError {
  switch (result) {
    case "used":
      return new HttpError(410, "link_used", "Get a new link to sign in.", {
        title: "This link was already used",
      });
    case "expired":
      return new HttpError(410, "link_expired", "Get a new link and open it within a minute.", {
        title: "This link has expired",
      });
    case "unknown":
      return new HttpError(
        401,
        "no_access",
        "The server may have been restarted since the link was created. Get a new link.",
        { title: "This link is not valid" },
      );
  }
}
