import assert from "node:assert/strict";
import { test } from "node:test";
import {
  emptyComposition,
  isDrawable,
  toIncident,
  toIsoTime,
  toLocalText,
  toUpdate,
} from "./values.ts";

const composed = {
  ...emptyComposition,
  name: "Shop is down",
  serviceIds: ["one"],
  description: "We look.",
};

test("an update without a date is dated now and notifies nobody by default", () => {
  assert.deepEqual(toUpdate(composed), {
    status: "INVESTIGATING",
    description: "We look.",
    notifySubscribers: false,
  });
  // A date counts only while "In the past" is selected.
  const left = { ...composed, startedAt: "2026-11-14T10:00", notify: true };
  assert.equal(toUpdate(left).publicIncidentUpdateDate, undefined);
  assert.equal(toUpdate(left).notifySubscribers, true);
});

test("a past incident has two updates, and only its end notifies subscribers", () => {
  const past = {
    ...composed,
    when: "past",
    startedAt: "2026-11-14T10:00",
    endedAt: "2026-11-14T11:30",
    notify: true,
  } as const;
  const { incidentUpdates } = toIncident(past, "It is over.");
  assert.deepEqual(
    incidentUpdates.map(({ status, notifySubscribers }) => [status, notifySubscribers]),
    [
      ["INVESTIGATING", false],
      ["RESOLVED", true],
    ],
  );
  assert.equal(incidentUpdates[1]?.description, "It is over.");
  assert.equal(incidentUpdates[0]?.publicIncidentUpdateDate, toIsoTime("2026-11-14T10:00"));
  const { incidentUpdates: open } = toIncident({ ...past, endedAt: "" }, "It is over.");
  assert.equal(open.length, 1);
});

test("a time is unchanged after conversion to a datetime-local field and back", () => {
  const moment = "2026-03-29T01:30:00.000Z";
  assert.equal(toIsoTime(toLocalText(moment)), moment);
  assert.equal(toIsoTime(""), undefined);
  assert.equal(toIsoTime("yesterday"), undefined);
});

test("a preview needs a title, a service and a message", () => {
  assert.equal(isDrawable(composed), true);
  assert.equal(isDrawable({ ...composed, description: " " }), false);
  assert.equal(isDrawable({ ...composed, serviceIds: [] }), false);
});
