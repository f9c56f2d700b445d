/** Passes items on; when none comes for so long, the last one is "silence" and the rest is left. */
export async function* withSilenceLimit<Item>(
  source: AsyncIterable<Item>,
  limitMs: number,
): AsyncGenerator<Item | "silence"> {
  const items = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const next = await raceSilence(items.next(), limitMs);
      if (next === "silence") {
        yield next;
        return;
      }
      if (next.done) {
        isDone = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not waited for: a source that is silent may never answer this either.
    if (!isDone) items.return?.()?.catch(() => {});
  }
}

async function raceSilence<Value>(
  next: Promise<Value>,
  limitMs: number,
): Promise<Value | "silence"> {
  const silence = Promise.withResolvers<"silence">();
  const timer = setTimeout(() => silence.resolve("silence"), limitMs);
  try {
    return await Promise.race([next, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}
