export const words = {
  address: "Ping URL",
  expected: "A ping is expected",
  everyPeriod: "At a fixed interval",
  byCron: "On a cron schedule",
  period: "Every",
  unit: "Unit",
  cron: "Cron expression",
  timezone: "Time zone",
  grace: "Grace period",
  graceHint: "The check fails after it",
  graceUnit: "Grace period unit",
  graceUnitHint: "Unit of the grace period",
} as const;
