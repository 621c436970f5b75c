/** Standard input as a stream of chunks. */
export interface StdinStream {
  /** Resolves at the end of the input or after `stop`; rejects if `each` throws. */
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
        // Windows reports the end of a pipe as this error.
        stdin.once("error", (error: NodeJS.ErrnoException) =>
          error.code === "EOF" ? resolve() : reject(error),
        );
      }),
    stop() {
      isStopped = true;
      // An open input would keep the process alive.
      stdin.destroy();
      finish?.();
    },
  };
}
