import type { KeyResponse } from "../../core/page-session.ts";
import { storeKey } from "./connection/page-key.ts";
import { parseSignInLink, SIGN_IN, storeReturnTo, takeReturnTo } from "./connection/return-to.ts";
import { SignedOut, signIn } from "./connection/session.ts";
import { applyTheme, storedTheme } from "./state/theme.ts";

/**
 * The sign-in page. The one-time code is in the hash of the address, which browsers do not send, so it appears in no
 * request line, log or referrer. This script exchanges the code for the key of this browser, then opens the return
 * address of the link, the stored one, or the board.
 */

interface Refusal {
  readonly title: string;
  readonly message: string;
}

const SIGNED_OUT: Refusal = {
  title: "Sign in to Waymark",
  message:
    "This browser is not signed in. Open a one-time link to continue to the requested address.",
};
const UNREACHABLE: Refusal = {
  title: "Waymark is not running",
  message: "Can't reach the server. Start it again, then open the new link.",
};
const NOT_STORED: Refusal = {
  title: "This browser can't stay signed in",
  message: "Allow this site to store data, then open a new link.",
};

async function begin(): Promise<void> {
  const { code, to } = parseSignInLink(location.hash, location.origin);
  if (code === "") {
    if (to !== undefined) storeReturnTo(to, Date.now());
    if (!(await moveOn())) show(SIGNED_OUT);
    return;
  }
  history.replaceState(null, "", SIGN_IN);
  write("#message", "Opening the board…");
  const refusal = await exchange(code);
  // The code may be invalid in a browser that is signed in already.
  if (!(await moveOn(to))) show(refusal ?? SIGNED_OUT);
}

/** Leaves this page if the browser is signed in. */
async function moveOn(to = parseSignInLink(location.hash, location.origin).to): Promise<boolean> {
  try {
    await signIn();
  } catch (error) {
    if (!(error instanceof SignedOut)) show(UNREACHABLE);
    return !(error instanceof SignedOut);
  }
  const stored = takeReturnTo(Date.now(), location.origin);
  location.replace(to ?? stored ?? "/");
  return true;
}

async function exchange(code: string): Promise<Refusal | undefined> {
  const answer = await fetch(SIGN_IN, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (!answer) return UNREACHABLE;
  if (!answer.ok) return answer.json();
  return storeKey((await answer.json()) as KeyResponse).then(
    () => undefined,
    () => NOT_STORED,
  );
}

function show({ title, message }: Refusal): void {
  document.documentElement.dataset.state = "signed-out";
  document.title = `${title} · Waymark`;
  write("h1", title);
  write("#message", message);
  document.querySelector("#ways")?.removeAttribute("hidden");
}

function write(selector: string, text: string): void {
  const found = document.querySelector(selector);
  if (found) found.textContent = text;
}

applyTheme(storedTheme());
void begin();
// Opening a new link in this tab only changes the hash.
addEventListener("hashchange", () => void begin());
// The user may have signed in on another tab.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && document.documentElement.dataset.state === "signed-out") void moveOn();
});
