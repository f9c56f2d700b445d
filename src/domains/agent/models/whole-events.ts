const lineEnd = 10;
/** Not within a text of the model: there the quotes would stand behind backslashes. */
const finishPattern = /"finish_reason"\s*:\s*"/;
const brokenOff = {
  id: "broken-off",
  object: "chat.completion.chunk",
  created: 0,
  model: "",
  choices: [{ index: 0, delta: {}, finish_reason: "broken_off" }],
};

/**
 * Passes on an event stream of a model in whole lines. One that ends without a reason gets one of
 * ours: the SDK would take it for an error and throw away what had not been read yet, which may be
 * all of a short answer.
 */
export function completeEvents(): TransformStream<Uint8Array, Uint8Array> {
  let rest = Buffer.alloc(0);
  let hasFinished = false;
  return new TransformStream({
    transform: (chunk, controller) => {
      const bytes = Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(lineEnd) + 1;
      rest = bytes.subarray(end);
      if (end === 0) return;
      const whole = bytes.subarray(0, end);
      hasFinished ||= finishPattern.test(whole.toString("utf8"));
      controller.enqueue(whole);
    },
    flush: (controller) => {
      if (hasFinished) return;
      const text = `\n\ndata: ${JSON.stringify(brokenOff)}\n\ndata: [DONE]\n\n`;
      controller.enqueue(Buffer.from(text));
    },
  });
}
