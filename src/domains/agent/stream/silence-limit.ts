/** Passes items on. If none arrives within the limit, yields "silence" and ends. */
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
    // Not awaited: a silent source may never respond to this either.
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
