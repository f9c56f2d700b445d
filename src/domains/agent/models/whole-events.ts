const lineEnd = 10;
/** Does not match inside the model's text, where quotes are escaped. */
const finishPattern = /"finish_reason"\s*:\s*"/;
const brokenOff = {
  id: "broken-off",
  object: "chat.completion.chunk",
  created: 0,
  model: "",
  choices: [{ index: 0, delta: {}, finish_reason: "broken_off" }],
};

/**
 * Passes on a model's event stream in whole lines. If it ends without a finish reason, adds one:
 * the SDK would treat it as an error and discard text that was not read yet, possibly a whole short
 * answer.
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
