import assert from "node:assert/strict";
import { test } from "node:test";
import { writeCron, writeCurl, writeSchedule, writeSystemd } from "./ping-commands.ts";

const pingUrl = "https://vedette.example/ping/7d1f2c9e";
const curl = "curl -fsS -m 10 --retry 5 --retry-connrefused -o /dev/null";

test("the curl command is one line that retries and prints nothing", () => {
  assert.equal(writeCurl(pingUrl), `${curl} ${pingUrl}`);
});

test("the crontab line runs on the expected schedule and reports the exit code", () => {
  assert.equal(
    writeCron(pingUrl, { cron: "30 2 * * 1" }),
    `30 2 * * 1 /path/to/job; ${curl} ${pingUrl}/$?`,
  );
  const schedules: readonly (readonly [
    number,
    "seconds" | "minutes" | "hours" | "days",
    string,
  ])[] = [
    [1, "days", "0 3 * * *"],
    [1, "minutes", "* * * * *"],
    [15, "minutes", "*/15 * * * *"],
    [1, "hours", "0 * * * *"],
    [6, "hours", "0 */6 * * *"],
    [30, "seconds", "* * * * *"],
    [600, "seconds", "*/10 * * * *"],
    [120, "minutes", "0 */2 * * *"],
    [48, "hours", "0 3 */2 * *"],
    [5, "days", "0 3 */5 * *"],
    [31, "days", "0 3 1 * *"],
  ];
  for (const [period, periodUnit, expected] of schedules) {
    assert.equal(writeSchedule({ period, periodUnit, cron: null }), expected);
  }
});

test("the example job never pings less often than the check expects", () => {
  for (const [period, periodUnit, expected] of [
    [0.5, "minutes", "* * * * *"],
    [90, "minutes", "0 * * * *"],
    [36, "hours", "0 3 * * *"],
    [2.5, "days", "0 3 */2 * *"],
    [90, "days", "0 3 1 * *"],
  ] as const) {
    assert.equal(writeSchedule({ period, periodUnit, cron: null }), expected);
  }
});

test("the systemd unit reports the start and the exit code through a shell", () => {
  const [section, start, stop] = writeSystemd(pingUrl).split("\n");
  assert.equal(section, "[Service]");
  assert.equal(start, `ExecStartPre=-/usr/bin/${curl} ${pingUrl}/start`);
  assert.match(stop ?? "", /^ExecStopPost=-\/bin\/sh -c '.*\/ping\/7d1f2c9e\/\$\$s'$/);
  assert.doesNotMatch(stop ?? "", /(?<!\$)\$(?!\$)/, "systemd expands a single $ itself");
});
