/** The fields of quiet hours, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import { renderPart } from "../../test/support/components/part.tsx";
import { ApiError } from "../api/api-error.ts";
import { channelsQuery } from "./queries.ts";
import { formatQuietHours, type QuietHours, QuietHoursFields } from "./quiet-hours-fields.tsx";
import { words } from "./words.ts";

const own = words.channel.quiet;
const channels = [
  { id: 7, type: "EMAIL", config: { address: "night@x.test" } },
  { id: 8, type: "EMAIL", config: { address: "day@x.test" } },
];
const night: QuietHours = {
  timeZone: "Europe/Berlin",
  ranges: [{ days: ["MON", "TUE"], from: "22:00", to: "07:00" }],
  mode: "HOLD",
  alertChannelId: null,
};

function open(initial: QuietHours | null, known: readonly object[] = channels) {
  const changes: (QuietHours | null)[] = [];
  const Form = () => {
    const [value, setValue] = useState(initial);
    return (
      <QuietHoursFields
        value={value}
        channelId={8}
        error={null}
        onChange={(next) => {
          changes.push(next);
          setValue(next);
        }}
      />
    );
  };
  const part = renderPart(<Form />, { data: [[channelsQuery.queryKey, known]] });
  return { part, last: () => changes.at(-1) };
}

test("quiet hours start with every night, and can be turned off", async () => {
  const { part, last } = open(null);
  const toggle = part.getByLabel(own.on);
  await toggle.click();
  assert.deepEqual(last()?.ranges, [
    { days: ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], from: "22:00", to: "07:00" },
  ]);
  assert.equal(last()?.mode, "HOLD");
  await toggle.click();
  assert.equal(last(), null);
});

test("days, times and further ranges are changed, and days stay in order", async () => {
  const { part, last } = open(night);
  await part.getByLabel("Sun").click();
  await part.getByLabel("Mon").click();
  await part.getByLabel(own.from).fill("21:30");
  assert.deepEqual(last()?.ranges[0], { days: ["TUE", "SUN"], from: "21:30", to: "07:00" });
  await part.getByRole("button", { name: own.add }).click();
  assert.equal(last()?.ranges.length, 2);
  await part.getByRole("button", { name: own.remove(1) }).click();
  assert.equal(last()?.ranges.length, 1);
  assert.equal(last()?.ranges[0]?.from, "22:00", "the first one was removed");
});

test("alerts are sent to another channel, never to itself", async () => {
  const { part, last } = open(night);
  await part.getByLabel(own.modes.REROUTE).click();
  await part.getByText(own.lost).waitFor();
  const other = part.getByLabel(own.other, { exact: true });
  assert.equal(part.getByText("day@x.test").count(), 0);
  await other.selectOption("7");
  assert.deepEqual([last()?.mode, last()?.alertChannelId], ["REROUTE", 7]);
});

test("without another channel, a hint is shown", async () => {
  const { part } = open({ ...night, mode: "REROUTE" }, channels.slice(1));
  await part.getByText(own.noOther).waitFor();
});

test("an error of the API is at its field", async () => {
  const rule = "must be an IANA time zone";
  const error = new ApiError({
    kind: "rejected",
    message: `quietHours.timeZone ${rule}`,
    status: 400,
    validation: { source: "body", keys: ["quietHours.timeZone"] },
    fieldErrors: { "quietHours.timeZone": rule },
  });
  const part = renderPart(
    <QuietHoursFields value={night} channelId={8} error={error} onChange={() => {}} />,
    { data: [[channelsQuery.queryKey, channels]] },
  );
  await part.getByText(/must be an IANA time zone/i).waitFor();
});

test("a conflict shows quiet hours as text", () => {
  assert.equal(formatQuietHours(night), "Mon, Tue 22:00–07:00, Europe/Berlin");
  assert.equal(formatQuietHours(null), own.none);
});
