import type { KeyAnswer } from "../../core/page-session.ts";
import { keepKey } from "./connection/page-key.ts";
import { keepPlace, partsOfLink, SIGN_IN, takePlace } from "./connection/return-to.ts";
import { SignedOut, signIn } from "./connection/session.ts";
import { applyTheme, keptTheme } from "./state/theme.ts";

/**
 * Signs a browser in. The one-time code is in the hash of the address, which browsers do not send: it is in no
 * request line, log or referrer. This script exchanges the code for the key of this browser, then opens the address
 * in the link, or the one that was asked for before, or the board.
 */

interface Refusal {
  readonly title: string;
  readonly message: string;
}

const SIGNED_OUT: Refusal = {
  title: "Sign in to Waymark",
  message:
    "This browser is not signed in. Open a one-time link, and it continues to the address you asked for.",
};
const AWAY: Refusal = {
  title: "Waymark is not running",
  message: "The server does not answer. Start it again, then open the new link.",
};
const NOT_KEPT: Refusal = {
  title: "This browser does not stay signed in",
  message: "Allow this site to store data, then open a new link.",
};

async function begin(): Promise<void> {
  const { code, to } = partsOfLink(location.hash, location.origin);
  if (code === "") {
    if (to !== undefined) keepPlace(to, Date.now());
    if (!(await moveOn())) show(SIGNED_OUT);
    return;
  }
  history.replaceState(null, "", SIGN_IN);
  write("#message", "Opening the board.");
  const refusal = await exchange(code);
  // A browser that is signed in needs no code.
  if (!(await moveOn(to))) show(refusal ?? SIGNED_OUT);
}

/** Leaves this page if the browser is signed in. */
async function moveOn(to = partsOfLink(location.hash, location.origin).to): Promise<boolean> {
  try {
    await signIn();
  } catch (error) {
    if (!(error instanceof SignedOut)) show(AWAY);
    return !(error instanceof SignedOut);
  }
  const kept = takePlace(Date.now(), location.origin);
  location.replace(to ?? kept ?? "/");
  return true;
}

async function exchange(code: string): Promise<Refusal | undefined> {
  const answer = await fetch(SIGN_IN, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (!answer) return AWAY;
  if (!answer.ok) return answer.json();
  return keepKey((await answer.json()) as KeyAnswer).then(
    () => undefined,
    () => NOT_KEPT,
  );
}

function show({ title, message }: Refusal): void {
  document.documentElement.dataset.state = "signed-out";
  document.title = `${title} · Waymark`;
  write("h1", title);
  write("#message", message);
  document.querySelector("#ways")?.removeAttribute("hidden");
}

function write(place: string, text: string): void {
  const found = document.querySelector(place);
  if (found) found.textContent = text;
}

applyTheme(keptTheme());
void begin();
// A new link that is opened in this tab only changes the hash.
addEventListener("hashchange", () => void begin());
// The user may have signed in elsewhere while this tab waited.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && document.documentElement.dataset.state === "signed-out") void moveOn();
});
