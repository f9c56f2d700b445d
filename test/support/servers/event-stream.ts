export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** Returns the names of the events received so far, oldest first. */
  readonly names: () => readonly string[];
  readonly isEnded: () => boolean;
  readonly close: () => void;
}

/** Reads a stream of server-sent events until it ends. */
export async function openEvents(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const controller = new AbortController();
  const answer = await fetch(url, { headers, signal: controller.signal });
  let text = "";
  let isEnded = false;
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true });
  };
  void read()
    .catch(() => {})
    .finally(() => {
      isEnded = true;
    });
  return {
    status: answer.status,
    headers: answer.headers,
    names: () => [...text.matchAll(/^event: (\w+)$/gm)].map(([, name = ""]) => name),
    isEnded: () => isEnded,
    close: () => controller.abort(),
  };
}
