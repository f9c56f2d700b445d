import { getNumber, getText, type PathTo } from "../../parts/fields.ts";
import type { CheckValues } from "../form-values.ts";

type Values = CheckValues<"HEARTBEAT">;

export function formatAmount(amount: number, unit: string): string {
  return amount === 1 ? `1 ${unit.replace(/s$/, "")}` : `${amount} ${unit}`;
}

export function describeHeartbeat(values: Values, defaults: Values): string[] {
  const textAt = (path: PathTo<Values, string>) => getText(values, path) || getText(defaults, path);
  const cron = getText(values, "heartbeat.cron");
  const zone = textAt("heartbeat.timezone");
  const period = getNumber(values, "heartbeat.period") ?? 0;
  const grace = getNumber(values, "heartbeat.grace") ?? 0;
  const graceUnit = textAt("heartbeat.graceUnit");
  const every = formatAmount(period, textAt("heartbeat.periodUnit")).replace(/^1 /, "");
  const late = grace === 0 ? "immediately" : `${formatAmount(grace, graceUnit)} later`;
  return [
    cron === ""
      ? `Expects a ping from your job every ${every}.`
      : `Expects a ping from your job on the cron schedule ${cron} (${zone}).`,
    `If no ping arrives in time, it fails ${late}.`,
    "It also fails immediately if the job reports a failure.",
    ...(getText(values, "heartbeat.pingUrl") === ""
      ? ["The ping URL is shown after you save."]
      : []),
  ];
}
