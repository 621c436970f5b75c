/** A model API that answers from a script, handed to an SDK as its `fetch`. */
export interface ScriptedApi {
  readonly requests: Record<string, unknown>[];
  readonly fetch: typeof fetch;
}

export function scriptedApi(answers: readonly unknown[]): ScriptedApi {
  const requests: Record<string, unknown>[] = [];
  return {
    requests,
    fetch: async (_, init) => {
      init?.signal?.throwIfAborted();
      const answer = answers[requests.length];
      requests.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
      if (answer === undefined) return new Response("the script has ended", { status: 500 });
      return new Response(JSON.stringify(answer), {
        headers: { "content-type": "application/json" },
      });
    },
  };
}
