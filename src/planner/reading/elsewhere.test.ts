import assert from "node:assert/strict";
import { test } from "node:test";
import { findElsewhere } from "./elsewhere.ts";

const orders: Readonly<Record<string, string>> = {
  "Invite anna@example.com": "/settings/members",
  "please add bob@x.com to the team as admin": "/settings/members",
  "Plan maintenance tomorrow 2 to 3": "/alerts/maintenance",
  "schedule downtime for core-db tonight from 22:00 to 23:00": "/alerts/maintenance",
  "create an incident for Shop: checkout is slow": "/incidents/new",
  "open an incident: payments are down": "/incidents/new",
  "can you make a status page for the shop?": "/status-pages/new",
  "add a slack channel": "/alerts/channels/new",
  "Set all checks to run every minute": "/checks",
  "change the frequency of core-db to 5 minutes": "/checks",
  "subscribe me to the status page": "/status-pages",
  "change my password": "/settings/profile",
};

for (const [message, path] of Object.entries(orders)) {
  test(`“${message}” is done at ${path}`, () => {
    assert.equal(findElsewhere(message)?.path, path);
  });
}

test("questions and tasks that the agent can do are not redirected", () => {
  for (const message of [
    "was there an incident this week?",
    "open incidents",
    "which status pages are there?",
    "what changed in the interval?",
    "post an update to the incident",
    "create a check for http://example.com every minute called Landing page",
    "mute core-db",
    "maintenance tomorrow?",
    "list channels",
    "set up a ping check for 192.0.2.1 every minute",
    "did we plan maintenance for tomorrow?",
  ]) {
    assert.equal(findElsewhere(message), null, message);
  }
});
