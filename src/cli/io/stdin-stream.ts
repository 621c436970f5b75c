/** Reads the standard input as it comes. */
export interface StdinStream {
  /** Resolves when the input is over or `stop` was called; rejects when `each` throws. */
  read(each: (chunk: Buffer) => void): Promise<void>;
  stop(): void;
}

export function openStdin(): StdinStream {
  const { stdin } = process;
  let finish: (() => void) | undefined;
  let isStopped = false;
  return {
    read: (each) =>
      new Promise((resolve, reject) => {
        finish = resolve;
        if (isStopped) resolve();
        stdin.on("data", (chunk: Buffer) => {
          if (isStopped) return;
          try {
            each(chunk);
          } catch (error) {
            reject(error);
          }
        });
        stdin.once("end", resolve);
        stdin.once("close", resolve);
        // Windows ends a pipe with an error of this name.
        stdin.once("error", (error: NodeJS.ErrnoException) =>
          error.code === "EOF" ? resolve() : reject(error),
        );
      }),
    stop() {
      isStopped = true;
      // Nothing more is wanted, and an open input would keep the program running.
      stdin.destroy();
      finish?.();
    },
  };
}
