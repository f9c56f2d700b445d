/** Example commands with which a job pings its URL. */
import type { CheckValues } from "../form-values.ts";

type Heartbeat = NonNullable<CheckValues<"HEARTBEAT">["heartbeat"]>;

const options = "-fsS -m 10 --retry 5 --retry-connrefused -o /dev/null";

/** Returns a command that sends a single ping, to be added at the end of a script. */
export function writeCurl(pingUrl: string): string {
  return `curl ${options} ${pingUrl}`;
}

const unitSeconds = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;

/**
 * Returns the cron expression of the check, or an expression that runs at least once in each
 * period. For a period below a minute, the job runs every minute, the shortest interval of cron.
 */
export function writeSchedule(heartbeat: Heartbeat): string {
  if (heartbeat.cron) return heartbeat.cron;
  const { period, periodUnit = "days" } = heartbeat;
  const minutes = Math.floor(((period ?? 1) * unitSeconds[periodUnit]) / 60);
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / 1_440)];
  if (minutes <= 1) return "* * * * *";
  if (hours < 1) return `*/${minutes} * * * *`;
  if (hours === 1) return "0 * * * *";
  if (days < 1) return `0 */${hours} * * *`;
  if (days === 1) return "0 3 * * *";
  return days < 31 ? `0 3 */${days} * *` : "0 3 1 * *";
}

/** Returns a crontab line that reports the exit code of the job. */
export function writeCron(pingUrl: string, heartbeat: Heartbeat): string {
  return `${writeSchedule(heartbeat)} /path/to/job; curl ${options} ${pingUrl}/$?`;
}

/** Returns a systemd drop-in that reports the start and the exit code of a service. */
export function writeSystemd(pingUrl: string): string {
  // EXIT_STATUS of a killed service is a signal name. systemd converts `$$` to a `$`.
  const status = '[ "$$EXIT_CODE" = exited ] && s=$$EXIT_STATUS || s=fail';
  const report = `${status}; curl ${options} ${pingUrl}/$$s`;
  return [
    "[Service]",
    `ExecStartPre=-/usr/bin/curl ${options} ${pingUrl}/start`,
    `ExecStopPost=-/bin/sh -c '${report}'`,
  ].join("\n");
}
