export const words = {
  recordType: "Record type",
  nameServer: "Name server",
  systemServer: "That of the probe's system",
  port: "Port of the name server",
  protocol: "Protocol",
  text: "Answer as text",
  json: "Answer as JSON",
  code: "Response code",
  time: "Response time (ms)",
  pattern: "Regular expression",
  assertionsHint: "What must hold. Unless one is about the response code, it must be NOERROR.",
} as const;
