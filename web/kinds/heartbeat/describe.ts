import { type Fields, getNumber, getText } from "../../parts/fields.ts";

export function formatAmount(amount: number, unit: string): string {
  return amount === 1 ? `1 ${unit.replace(/s$/, "")}` : `${amount} ${unit}`;
}

export function describeHeartbeat(fields: Fields): string[] {
  const cron = getText(fields, "heartbeat.cron");
  const zone = getText(fields, "heartbeat.timezone") || "UTC";
  const period = getNumber(fields, "heartbeat.period") ?? 0;
  const grace = getNumber(fields, "heartbeat.grace") ?? 0;
  const graceUnit = getText(fields, "heartbeat.graceUnit") || "minutes";
  const every = formatAmount(period, getText(fields, "heartbeat.periodUnit") || "days").replace(
    /^1 /,
    "",
  );
  const late = grace === 0 ? "immediately" : `${formatAmount(grace, graceUnit)} later`;
  return [
    cron === ""
      ? `Expects a ping from your job every ${every}.`
      : `Expects a ping from your job on the cron schedule ${cron} (${zone}).`,
    `If no ping arrives in time, it fails ${late}.`,
    "It also fails immediately if the job reports a failure.",
    ...(getText(fields, "heartbeat.pingUrl") === ""
      ? ["The ping URL is shown after you save."]
      : []),
  ];
}
