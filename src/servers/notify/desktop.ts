import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { WaymarkError } from "../../core/error.ts";
import { forHtml } from "../../core/text/escape.ts";
import type { NotificationText } from "../../surfaces/text/notification.ts";
import { type Deliver, type DeliveryOptions, TIMEOUT } from "./delivery.ts";

interface Program {
  readonly name: string;
  /** What to do where it is not there. */
  readonly missing: string;
  /** Milliseconds for which it stays while the notification is shown. */
  readonly stays?: number;
  /** Texts go as arguments or variables, never through a shell. */
  call(words: NotificationText): { readonly args: readonly string[]; readonly env?: object };
}

const NOTIFY_SEND: Program = {
  name: "notify-send",
  missing: "Install it: it comes with libnotify (libnotify-bin on Debian and Ubuntu).",
  // The body is markup to most desktops, the title is not.
  call: ({ title, text }) => ({ args: ["--app-name=Waymark", "--", title, forHtml(text)] }),
};

const OSASCRIPT: Program = {
  name: "osascript",
  missing: "It belongs to macOS: check PATH.",
  call: ({ title, text }) => ({
    args: [
      "-e",
      "on run argv",
      "-e",
      'display notification (item 2 of argv) with title "Waymark" subtitle (item 1 of argv)',
      "-e",
      "end run",
      title,
      text,
    ],
  }),
};

const POWERSHELL: Program = {
  name: "powershell.exe",
  missing: "It belongs to Windows: check PATH.",
  stays: 6_000,
  // What stands behind -Command is read as a script; the texts are handed over beside it.
  call: ({ title, text }) => ({
    args: [
      "-NoProfile",
      "-NonInteractive",
      "-Command",
      "Add-Type -AssemblyName System.Windows.Forms, System.Drawing; $n = New-Object System.Windows.Forms.NotifyIcon; $n.Icon = [System.Drawing.SystemIcons]::Information; $n.Visible = $true; $n.ShowBalloonTip(5000, $env:WAYMARK_ALERT_TITLE, $env:WAYMARK_ALERT_TEXT, 'None'); Start-Sleep -Seconds 6; $n.Dispose()",
    ],
    env: { WAYMARK_ALERT_TITLE: title, WAYMARK_ALERT_TEXT: text },
  }),
};

/** Shows notifications with the program of the platform; fails at once if that is not installed. */
export function openDesktop(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  { timeout = TIMEOUT }: DeliveryOptions = {},
): Deliver {
  const program =
    platform === "darwin" ? OSASCRIPT : platform === "win32" ? POWERSHELL : NOTIFY_SEND;
  const path = found(program.name, env.PATH ?? "");
  if (path === undefined)
    throw new WaymarkError(
      "no_desktop",
      `${program.name} is not in PATH, and desktop notifications need it. ${program.missing}`,
    );
  const patience = timeout + (program.stays ?? 0);
  return (words, _, signal) =>
    new Promise((resolve, reject) => {
      const { args, env: more } = program.call(words);
      const child = spawn(path, args, {
        stdio: "ignore",
        // The first of a group, so that whatever it starts can be ended with it.
        detached: process.platform !== "win32",
        env: { ...env, ...more },
      });
      const settle = (problem?: Error): void => {
        clearTimeout(late);
        signal.removeEventListener("abort", leave);
        if (problem) reject(problem);
        else resolve();
      };
      const giveUp = (why: string): void => {
        end(child);
        settle(new Error(`${program.name} ${why}`));
      };
      const leave = (): void => giveUp("was not waited for");
      const late = setTimeout(() => giveUp(`did not end within ${patience} ms`), patience);
      signal.addEventListener("abort", leave, { once: true });
      child.on("error", settle);
      child.on("close", (code) =>
        settle(
          code === 0 ? undefined : new Error(`${program.name} ended with ${code ?? "a signal"}`),
        ),
      );
    });
}

function end(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

function found(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((dir) => dir !== "")
    .map((dir) => join(dir, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        // Not in this one.
        return false;
      }
    });
}
