/** The exports of the command line sources, with every command loaded. */
export interface CommandDefinitions {
  readonly COMMAND_SECTIONS: readonly object[];
  readonly ENVIRONMENT: readonly object[];
  readonly EXIT_CODES: readonly object[];
  readonly defaultCommand: object;
  readonly usageForms: (command: never) => readonly string[];
  readonly walked: readonly object[];
}
export function loadCommands(root: string): Promise<CommandDefinitions>;
export function cliReference(definitions: CommandDefinitions): string;
