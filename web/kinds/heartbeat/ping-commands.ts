/** Example commands with which a job pings its URL. */
import type { CheckValues } from "../form-values.ts";

type Heartbeat = NonNullable<CheckValues<"HEARTBEAT">["heartbeat"]>;

const options = "-fsS -m 10 --retry 5 --retry-connrefused -o /dev/null";

/** Returns a command for a single ping, which a script executes at its end. */
export function writeCurl(pingUrl: string): string {
  return `curl ${options} ${pingUrl}`;
}

/**
 * Returns a cron expression for the example crontab line, derived from the period that the check
 * expects.
 */
export function writeSchedule(heartbeat: Heartbeat): string {
  const { cron, periodUnit: unit } = heartbeat;
  if (cron) return cron;
  const period = heartbeat.period ?? 1;
  if (unit === "minutes" && period < 60) return period === 1 ? "* * * * *" : `*/${period} * * * *`;
  if (unit === "hours" && period < 24) return period === 1 ? "0 * * * *" : `0 */${period} * * *`;
  if (unit === "seconds") return "* * * * *";
  return "0 3 * * *";
}

/** Returns a crontab line that reports the exit code of the job. */
export function writeCron(pingUrl: string, heartbeat: Heartbeat): string {
  return `${writeSchedule(heartbeat)} /path/to/job; curl ${options} ${pingUrl}/$?`;
}

/** Returns a systemd drop-in that reports the start and the exit code of a service. */
export function writeSystemd(pingUrl: string): string {
  // If the service was killed, EXIT_STATUS is a signal name. systemd converts `$$` to a literal
  // `$`.
  const status = '[ "$$EXIT_CODE" = exited ] && s=$$EXIT_STATUS || s=fail';
  const report = `${status}; curl ${options} ${pingUrl}/$$s`;
  return [
    "[Service]",
    `ExecStartPre=-/usr/bin/curl ${options} ${pingUrl}/start`,
    `ExecStopPost=-/bin/sh -c '${report}'`,
  ].join("\n");
}
