import type { IncomingMessage, ServerResponse } from "node:http";
import type { Access } from "./access.ts";
import { HttpError, readJson, sendPage, sendText } from "./routes.ts";

/**
 * How a browser gets in. The code stands behind the # of the address, which a browser keeps to itself: it is in
 * no request line, no log and no referrer. A script hands it over, once, and gets the cookie for it.
 */
const OPEN = "/open";
const SCRIPT = "/open.js";

const CODE = `const code = location.hash.slice(1);
history.replaceState(null, "", "${OPEN}");
const say = (words) => { document.querySelector("p").textContent = words; };
fetch("${OPEN}", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ code }),
}).then(
  async (answer) => {
    if (answer.ok) location.replace("/");
    else say((await answer.json()).message);
  },
  () => say("The server is gone. Run waymark serve to start it again."),
);
`;

export function openingUrl(port: number, access: Access): string {
  return `http://127.0.0.1:${port}${OPEN}#${access.newCode()}`;
}

/** Answers who has no key yet; `false` where that is not what was asked for. */
export async function letIn(
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
  access: Access,
): Promise<boolean> {
  const asked = `${request.method} ${pathname}`;
  if (asked === `GET ${OPEN}`) sendPage(response, 200, "Opening the board …", SCRIPT);
  else if (asked === `GET ${SCRIPT}`) sendText(response, 200, "text/javascript", CODE);
  else if (asked === `POST ${OPEN}`) await exchange(request, response, access);
  else return false;
  return true;
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  access: Access,
): Promise<void> {
  const body = await readJson(request);
  const code = typeof body === "object" && body && "code" in body ? body.code : undefined;
  if (typeof code !== "string" || !access.spend(code, Date.now()))
    throw new HttpError(
      401,
      "no_access",
      "This link was used or is too old. Run waymark serve to get a new one.",
    );
  response.writeHead(204, {
    "cache-control": "no-store",
    "set-cookie": `${access.cookieName}=${access.cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000`,
  });
  response.end();
}
