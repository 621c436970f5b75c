import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { WaymarkError } from "../../core/error.ts";
import { forHtml } from "../../core/text/escape.ts";
import type { NotificationText } from "../../surfaces/text/notification.ts";
import { type Deliver, type DeliveryOptions, TIMEOUT } from "./delivery.ts";

interface Program {
  readonly name: string;
  /** Advice if it is not installed. */
  readonly missing: string;
  /** Milliseconds that the program keeps running to show the notification. */
  readonly showsFor?: number;
  /** Passes texts as arguments or environment variables, never through a shell. */
  call(content: NotificationText): { readonly args: readonly string[]; readonly env?: object };
}

const NOTIFY_SEND: Program = {
  name: "notify-send",
  missing: "Install libnotify (libnotify-bin on Debian and Ubuntu).",
  // Most desktops render the body as markup, but not the title.
  call: ({ title, text }) => ({ args: ["--app-name=Waymark", "--", title, forHtml(text)] }),
};

const OSASCRIPT: Program = {
  name: "osascript",
  missing: "It is part of macOS: check PATH.",
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
  missing: "It is part of Windows: check PATH.",
  showsFor: 6_000,
  // PowerShell runs everything after -Command as a script, so the texts are passed in the environment.
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

/** Shows desktop notifications with the platform's program; throws if that is not installed. */
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
      `Desktop notifications need ${program.name}, which is not in PATH. ${program.missing}`,
    );
  const limit = timeout + (program.showsFor ?? 0);
  return (content, _, signal) =>
    new Promise((resolve, reject) => {
      const { args, env: more } = program.call(content);
      const child = spawn(path, args, {
        stdio: "ignore",
        // A separate process group, so that its children can be killed with it.
        detached: process.platform !== "win32",
        env: { ...env, ...more },
      });
      const settle = (problem?: Error): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
        if (problem) reject(problem);
        else resolve();
      };
      const stop = (why: string): void => {
        kill(child);
        settle(new Error(`${program.name} ${why}`));
      };
      const cancel = (): void => stop("was cancelled");
      const timer = setTimeout(() => stop(`timed out after ${limit} ms`), limit);
      signal.addEventListener("abort", cancel, { once: true });
      child.on("error", settle);
      child.on("close", (code) =>
        settle(
          code === 0
            ? undefined
            : new Error(
                code === null
                  ? `${program.name} was killed by a signal`
                  : `${program.name} exited with code ${code}`,
              ),
        ),
      );
    });
}

function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch {
    // It has already exited.
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
        // Not in this directory.
        return false;
      }
    });
}
