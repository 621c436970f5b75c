import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** A row as the extension gives it to the editor. */
export interface Row {
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly contextValue?: string;
  readonly iconPath: { readonly id: string };
  readonly collapsibleState: number;
}

type Command = (node?: unknown) => Promise<void>;

interface Provider {
  getChildren(node?: object): object[];
  getTreeItem(node: object): Row;
}

/** The parts of the editor that the extension uses, and what it did to them. */
export interface Editor {
  /** The rows below a row, or the first ones. */
  rows(node?: object): readonly { readonly node: object; readonly row: Row }[];
  readonly status: {
    text: string;
    tooltip?: string;
    backgroundColor?: { readonly id: string } | undefined;
    isShown: boolean;
  };
  readonly view: { message?: string; badge?: { readonly value: number } | undefined };
  readonly opened: string[];
  readonly errors: string[];
  readonly contexts: Readonly<Record<string, unknown>>;
  run(name: string, node?: object): Promise<void>;
  close(): void;
}

/** Loads the built extension, as the editor does. */
export function openEditor(
  extension: string,
  options: { readonly command: readonly string[]; readonly folders?: readonly string[] },
): Editor {
  let provider: Provider | undefined;
  const subscriptions: { dispose(): void }[] = [];
  const registered = new Map<string, Command>();
  const contexts: Record<string, unknown> = {};
  const opened: string[] = [];
  const errors: string[] = [];
  const nothing = () => ({ dispose() {} });
  class Named {
    readonly id: string;
    constructor(id: string) {
      this.id = id;
    }
  }
  const status = {
    text: "",
    isShown: false,
    show: () => Object.assign(status, { isShown: true }),
    hide: () => Object.assign(status, { isShown: false }),
    dispose() {},
  };
  const view = {
    visible: true,
    onDidChangeVisibility: nothing,
    dispose() {},
  };
  const vscode = {
    EventEmitter: class {
      readonly event = nothing;
      fire() {}
      dispose() {}
    },
    TreeItem: class {
      readonly label: string;
      readonly collapsibleState: number;
      constructor(label: string, collapsibleState: number) {
        this.label = label;
        this.collapsibleState = collapsibleState;
      }
    },
    ThemeIcon: Named,
    ThemeColor: Named,
    TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
    StatusBarAlignment: { Left: 1 },
    Uri: { parse: (text: string) => text },
    env: {
      asExternalUri: async (uri: string) => uri,
      openExternal: async (uri: string) => opened.push(uri),
    },
    window: {
      createOutputChannel: () => ({ warn() {}, show() {}, dispose() {} }),
      createTreeView(_: string, { treeDataProvider }: { treeDataProvider: Provider }) {
        provider = treeDataProvider;
        return view;
      },
      createStatusBarItem: () => status,
      showErrorMessage: (text: string) => errors.push(text),
    },
    commands: {
      registerCommand(name: string, command: Command) {
        registered.set(name, command);
        return nothing();
      },
      async executeCommand(_: string, name: string, value: unknown) {
        contexts[name] = value;
      },
    },
    workspace: {
      workspaceFolders: options.folders?.map((fsPath) => ({ uri: { scheme: "file", fsPath } })),
      getConfiguration: () => ({ get: () => options.command }),
      onDidChangeWorkspaceFolders: nothing,
      onDidChangeConfiguration: nothing,
    },
  };
  const file = join(extension, "extension.js");
  const known = createRequire(file);
  const module = { exports: {} as { activate(context: object): void } };
  new Function("require", "module", "exports", readFileSync(file, "utf8"))(
    (name: string) => (name === "vscode" ? vscode : known(name)),
    module,
    module.exports,
  );
  module.exports.activate({ subscriptions });
  return {
    rows: (node) =>
      (provider?.getChildren(node) ?? []).map((each) => ({
        node: each,
        row: provider?.getTreeItem(each) as Row,
      })),
    status,
    view: view as Editor["view"],
    opened,
    errors,
    contexts,
    async run(name, node) {
      await registered.get(`waymark.${name}`)?.(node);
    },
    close() {
      for (const each of subscriptions) each.dispose();
    },
  };
}
