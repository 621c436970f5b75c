/** The world is broken: a file cannot be read, a store is too new, a server is gone. */
export class WaymarkError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "WaymarkError";
    this.code = code;
  }
}
