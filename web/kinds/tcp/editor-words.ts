export const words = {
  data: "Text to send",
  dataHint: "Sent once the connection stands. Empty: nothing is sent. {{NAME}} is a variable.",
  answer: "Answer",
  time: "Response time (ms)",
  pattern: "Regular expression",
  assertionsHint: "What must hold beside the connection itself.",
} as const;
