import assert from "node:assert/strict";
import { test } from "node:test";
import {
  makeRequest,
  needsNamespaces,
  RUN_ECHOES,
  runChild,
} from "../../../../../test/support/programs/icmp-child.ts";
import { findLack } from "../../../../../test/support/programs/programs.ts";

const skip = needsNamespaces || findLack("setpriv");
const skipWithoutPing = skip || findLack("ping");
// Keeps files in a private folder readable, so that this runs wherever the project is.
const reading = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"];
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ...reading];
const engine = [process.execPath, RUN_ECHOES, JSON.stringify(makeRequest("127.0.0.1"))];
const isolate = (setUp: string) => [
  "-n",
  "sh",
  "-c",
  `ip link set lo up; ${setUp} exec "$@"`,
  "sh",
];

test("a user inside the ping group range gets datagram sockets", { skip }, () => {
  const open = 'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range;';
  const report = runChild("unshare", [...isolate(open), ...asNobody, "--no-new-privs", ...engine]);
  assert.equal(report.modes.IPv4.mode, "datagram");
  assert.equal(report.runs[0]?.kind, "measured");
});

test("a user without socket permission falls back to the ping command", {
  skip: skipWithoutPing,
}, () => {
  const report = runChild("unshare", [...isolate(""), ...asNobody, ...engine]);
  const { mode, reason } = report.modes.IPv4;
  assert.equal(mode, "ping", reason);
  assert.match(reason, /datagram: EACCES, raw: EPERM/);
  const [run] = report.runs;
  assert.ok(run?.kind === "measured");
  assert.equal(run.mode, "ping");
  assert.equal(run.statistics.packetsReceived, 3);
});

test("without any permission the run reports what to do, and no loss", { skip }, () => {
  const report = runChild("unshare", [...isolate(""), ...asNobody, "--no-new-privs", ...engine]);
  const [run] = report.runs;
  assert.ok(run?.kind === "cannot-check", JSON.stringify(run));
  assert.match(run.reason, /^Ping checks cannot run: this process may open neither kind/);
  assert.match(run.reason, /EACCES – group 65534 is outside net.ipv4.ping_group_range \("1 0"\)/);
  assert.match(run.reason, /EPERM {2}– CAP_NET_RAW is missing/);
  assert.match(run.reason, /ping command: {2}\S/);
  assert.match(run.reason, /marked "cannot check", not "down"/);
});
