export const words = {
  recordType: "Record type",
  nameServer: "Name server",
  systemServer: "System default of the probe",
  port: "Name server port",
  protocol: "Protocol",
  text: "Answer as text",
  json: "Answer as JSON",
  code: "Response code",
  time: "Response time (ms)",
  pattern: "Regular expression",
  assertionsHint:
    "A run fails if an assertion fails. Without an assertion on the response code, it must be NOERROR.",
} as const;
