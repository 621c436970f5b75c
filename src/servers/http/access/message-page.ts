import type { ServerResponse } from "node:http";
import { forHtml } from "../../../core/text/escape.ts";
import { sendText } from "../routes.ts";

/** A page that the server renders itself, for browsers that cannot load the board. */
export interface MessagePage {
  readonly title: string;
  /** Text between backticks is shown as code. */
  readonly message: string;
  /** `signing-in` pages run `sign-in.js`; others run no script. */
  readonly state: "signing-in" | "refused" | "failed";
  readonly command: SignInCommand;
}

/** The command that prints a new one-time link. */
export interface SignInCommand {
  readonly run: string;
  /** Where to run it, as part of a sentence: `in your clone of Waymark`. */
  readonly where?: string;
}

const MARK =
  '<svg class="brand-mark" viewBox="0 0 16 16" aria-hidden="true"><rect x="3" y="1" width="4.6" height="14" rx="1.4" fill="currentColor"/><rect x="9" y="1" width="4.6" height="8" rx="1.4" fill="currentColor" opacity=".55"/></svg>';

/**
 * Sends a complete page in the style of the board. It needs no session: its style sheet and script are public, and it
 * contains nothing about this machine.
 */
export function sendMessagePage(response: ServerResponse, status: number, page: MessagePage): void {
  sendText(response, status, "text/html", htmlOf(page));
}

function htmlOf({ title, message, state, command }: MessagePage): string {
  return `<!doctype html>
<html lang="en" data-theme="system" data-state="${state}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${forHtml(title)} · Waymark</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/sign-in.css">
${state === "signing-in" ? '<script src="/sign-in.js" defer></script>' : ""}
</head>
<body>
<header class="top"><span class="brand">${MARK}waymark</span></header>
<main>
<h1>${forHtml(title)}</h1>
<p id="message" role="status">${marked(message)}</p>
${state === "signing-in" ? `<noscript><p>Signing in needs JavaScript: a script sends the code in the link to the server.</p></noscript>` : ""}
${state === "failed" ? HOME_LINK : waysIn(state, command)}
</main>
</body>
</html>
`;
}

const HOME_LINK = '<p class="actions"><a class="button primary" href="/">Go to the board</a></p>';

function waysIn(state: MessagePage["state"], { run, where }: SignInCommand): string {
  const isHidden = state === "signing-in" ? " hidden" : "";
  return `<section class="card" id="ways" aria-labelledby="ways-title"${isHidden}>
<header><h2 id="ways-title">Get a new link</h2></header>
<ul>
<li><span>On the board in your terminal, press</span> <kbd>w</kbd></li>
<li><span>Or${where === undefined ? "" : `, ${forHtml(where)},`} run</span> <code>${forHtml(run)}</code></li>
</ul>
<p class="meta">Each link works once and expires after a minute.</p>
</section>
${state === "signing-in" ? "" : '<p class="actions"><a class="button" href="">Try again</a></p>'}`;
}

function marked(message: string): string {
  return forHtml(message).replace(/`([^`]+)`/g, "<code>$1</code>");
}
