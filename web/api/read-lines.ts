/** Yields the lines of a response as they arrive. Throws if a line exceeds the maximum length. */
export async function* readLines(
  stream: ReadableStream<Uint8Array>,
  maxLineLength: number,
): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      if (rest.length > maxLineLength) throw new SyntaxError("A line is too long.");
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield line;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
