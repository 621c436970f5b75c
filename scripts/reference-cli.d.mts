/** The exports of the command line sources, with every command loaded. */
export interface CommandDefinitions {
  readonly COMMAND_SECTIONS: readonly object[];
  readonly ENVIRONMENT: readonly object[];
  readonly EXIT_CODES: readonly object[];
  readonly defaultCommand: object;
  readonly usageForms: (command: never) => readonly string[];
  readonly walked: readonly object[];
}
/** The same with the settings, and the commands with options that a configuration file can set. */
export interface LoadedDefinitions extends CommandDefinitions {
  readonly SETTINGS: readonly object[];
  readonly commands: readonly object[];
}
export function loadCommands(root: string): Promise<LoadedDefinitions>;
export function cliReference(definitions: CommandDefinitions): string;
