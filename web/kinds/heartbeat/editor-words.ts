export const words = {
  address: "The job pings",
  expected: "A ping is expected",
  everyPeriod: "Every so often",
  byCron: "At times that a cron expression gives",
  period: "Every",
  unit: "Unit",
  cron: "Cron expression",
  timezone: "Time zone",
  grace: "How late a ping may be",
  graceHint: "After this it fails",
  graceUnit: "Unit of the delay",
  graceUnitHint: "Of the number beside it",
} as const;
