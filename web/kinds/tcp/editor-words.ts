export const words = {
  data: "Text to send",
  dataHint:
    "Sent after the connection is established. If empty, nothing is sent. Can contain {{NAME}} variables.",
  answer: "Response",
  time: "Response time (ms)",
  pattern: "Regular expression",
  assertionsHint: "Conditions in addition to a successful connection.",
} as const;
