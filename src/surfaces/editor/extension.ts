/**
 * surfaces/editor: the sessions in the side bar of VS Code, and the current todo in its status bar. `server` connects to
 * `waymark serve`, `items` words the rows, `extension` draws them.
 */
import { isAbsolute, relative } from "node:path";
import {
  commands,
  EventEmitter,
  type ExtensionContext,
  env,
  type ProviderResult,
  StatusBarAlignment,
  ThemeColor,
  ThemeIcon,
  type TreeDataProvider,
  TreeItem,
  TreeItemCollapsibleState,
  Uri,
  window,
  workspace,
} from "vscode";
import { errorMessage } from "../../core/error.ts";
import type { Todo } from "../../core/model.ts";
import { type BoardRow, boardOf } from "../../core/views/board.ts";
import { pagePath } from "../../core/wire.ts";
import { type Item, sessionItem, statusItem, todoItem } from "./items.ts";
import { followServer } from "./server.ts";

/** A session or a subagent, or one of its todos. */
interface Node {
  readonly row: BoardRow;
  readonly todo?: Todo;
}

const VIEW = "waymark.sessions";

export function activate(context: ExtensionContext): void {
  const updates = new EventEmitter<undefined>();
  const log = window.createOutputChannel("Waymark", { log: true });
  const follower = followServer({ command: programOf, onChange: () => draw() });
  const board = () => boardOf([...follower.tracks.values()], { now: Date.now() });
  const provider: TreeDataProvider<Node> = {
    onDidChangeTreeData: updates.event,
    getTreeItem: treeItem,
    getChildren: (node) =>
      node ? childrenOf(node) : board().groups.flatMap(({ rows }) => rows.map((row) => ({ row }))),
  };
  const view = window.createTreeView(VIEW, { treeDataProvider: provider, showCollapseAll: true });
  const status = window.createStatusBarItem("waymark.status", StatusBarAlignment.Left, 0);
  status.name = "Waymark";
  status.command = `${VIEW}.focus`;

  let lastProblem = "";
  function draw(): void {
    const { connection } = follower;
    const why = connection.state === "lost" ? connection.why : "";
    if (why !== "" && why !== lastProblem) log.warn(why);
    lastProblem = why;
    void commands.executeCommand("setContext", "waymark.connection", connection.state);
    view.message = why;
    const now = board();
    const needsYou = now.counts["needs you"];
    view.badge =
      needsYou > 0
        ? { value: needsYou, tooltip: `${needsYou} ${needsYou === 1 ? "needs" : "need"} you` }
        : undefined;
    if (view.visible) updates.fire(undefined);
    const item = why === "" ? statusItem(now, isInWorkspace) : undefined;
    if (!item) {
      status.hide();
      return;
    }
    status.text = item.text;
    status.tooltip = item.tooltip;
    status.backgroundColor = item.needsYou
      ? new ThemeColor("statusBarItem.warningBackground")
      : undefined;
    status.show();
  }

  const command = (name: string, run: (node?: Node) => Promise<void> | void) =>
    commands.registerCommand(`waymark.${name}`, async (node?: Node) => {
      try {
        await run(node);
      } catch (error) {
        void window.showErrorMessage(`Waymark: ${errorMessage(error)}`);
      }
    });
  const setTodo = (op: "finish" | "reopen") => async (node?: Node) => {
    if (!node?.todo) return;
    await follower.edit(node.row.track, [{ op, target: { any: node.todo.id } }]);
  };
  context.subscriptions.push(
    view,
    status,
    updates,
    log,
    { dispose: follower.close },
    view.onDidChangeVisibility(() => draw()),
    workspace.onDidChangeWorkspaceFolders(() => draw()),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("waymark.command")) follower.retry();
    }),
    command("open", async (node) => {
      const link = await follower.linkTo(node ? pagePath(node.row.track) : "/");
      await env.openExternal(await env.asExternalUri(Uri.parse(link, true)));
    }),
    command("markDone", setTodo("finish")),
    command("reopen", setTodo("reopen")),
    command("retry", () => follower.retry()),
    command("showLog", () => log.show()),
  );
  draw();
}

/** The setting has machine scope: a folder that is opened cannot choose the program. */
function programOf(): readonly [string, ...string[]] {
  const [program = "waymark", ...args] = workspace
    .getConfiguration("waymark")
    .get<readonly string[]>("command", []);
  return [program, ...args];
}

function isInWorkspace(cwd: string): boolean {
  return (workspace.workspaceFolders ?? []).some(({ uri }) => {
    const path = relative(uri.fsPath, cwd);
    return uri.scheme === "file" && !path.startsWith("..") && !isAbsolute(path);
  });
}

function childrenOf({ row, todo }: Node): ProviderResult<Node[]> {
  if (todo) return [];
  return [
    ...row.track.todos.map((each) => ({ row, todo: each })),
    ...row.children.map((child) => ({ row: child })),
  ];
}

function treeItem({ row, todo }: Node): TreeItem {
  const item: Item = todo ? todoItem(row, todo) : sessionItem(row);
  const hasChildren = !todo && row.track.todos.length + row.children.length > 0;
  const isOpen = row.group === "needs you" || row.group === "working";
  const drawn = new TreeItem(
    item.label,
    !hasChildren
      ? TreeItemCollapsibleState.None
      : isOpen
        ? TreeItemCollapsibleState.Expanded
        : TreeItemCollapsibleState.Collapsed,
  );
  drawn.id = item.id;
  drawn.description = item.description;
  drawn.tooltip = item.tooltip;
  drawn.contextValue = item.context;
  drawn.iconPath = new ThemeIcon(item.icon, item.color ? new ThemeColor(item.color) : undefined);
  drawn.accessibilityInformation = { label: item.spoken };
  return drawn;
}
