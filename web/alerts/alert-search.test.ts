import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decideBy,
  parseAlertSearch,
  parseBy,
  parseChannelSearch,
  parseKindSearch,
} from "./alert-search.ts";
import { describeChannel, nameChannel } from "./describe-channel.ts";

test("the filters of the address are kept, and invalid ones ignored", () => {
  const given = { page: 2, search: "db", alertType: "ALERT_FAILURE", show: "held" };
  assert.deepEqual(parseAlertSearch(given), given);
  const invalid = { page: 1, search: "", alertType: "<b>", show: "all" };
  assert.deepEqual(parseAlertSearch(invalid), {});
  assert.deepEqual(parseAlertSearch({ search: 443, page: 1.5 }), { search: "443" });
  assert.equal(parseAlertSearch({ search: "x".repeat(300) }).search?.length, 200);
});

test("the type of a new channel has upper-case letters only", () => {
  assert.deepEqual(parseKindSearch({ type: "WEBHOOK" }), { type: "WEBHOOK" });
  assert.deepEqual(parseKindSearch({ type: "web hook" }), {});
  assert.deepEqual(
    [parseChannelSearch({ saved: true }), parseChannelSearch({ saved: "true" })],
    [{ saved: true }, {}],
  );
});

type Channel = Parameters<typeof describeChannel>[0];
const channel = (type: string, config: object) => ({ type, config }) as unknown as Channel;

test("a channel is named by its type and by what distinguishes it", () => {
  const webhook = channel("WEBHOOK", { url: "https://hooks.test/", name: "Pager" });
  assert.equal(describeChannel(webhook), "Webhook: Pager");
  assert.equal(
    nameChannel(channel("WEBHOOK", { name: "", url: "https://x.test/" })),
    "https://x.test/",
  );
  assert.equal(describeChannel(channel("UNHEARD_OF", { secret: 1 })), "UNHEARD_OF");
});

test("many open alerts are grouped by cause unless another grouping is selected", () => {
  assert.equal(decideBy(undefined, 10), "none");
  assert.equal(decideBy(undefined, 11), "cause");
  assert.equal(decideBy("none", 54), "none");
  assert.equal(decideBy("tag", 1), "tag");
});

test("an unknown grouping in the address is ignored", () => {
  assert.deepEqual(parseBy("location"), { by: "location" });
  for (const odd of ["odd", 1, null, undefined, ["tag"]]) assert.deepEqual(parseBy(odd), {});
});
