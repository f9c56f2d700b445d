import assert from "node:assert/strict";
import { test } from "node:test";
import { createReach } from "./reach.ts";

const nothingSaid = { allow: [], deny: [] };

test("internal hosts may be reached, link-local and metadata addresses may not", () => {
  const { findRefusal } = createReach(nothingSaid);
  for (const address of ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "203.0.113.9", "fd00::1"]) {
    assert.equal(findRefusal(address), null, address);
  }
  const refused = [
    "169.254.169.254",
    "169.254.0.1",
    "fe80::1",
    "fd00:ec2::254",
    "100.100.100.200",
    // A translator on the way would turn these into the metadata address.
    "64:ff9b::a9fe:a9fe",
    "::ffff:169.254.169.254",
    "2002:a9fe:a9fe::1",
  ];
  for (const address of refused) {
    assert.match(findRefusal(address) ?? "", /PROBE_ALLOW/, address);
  }
});

test("PROBE_DENY takes addresses away, and PROBE_ALLOW gives them back", () => {
  const rules = { deny: ["10.0.0.0/8", "fd00::/8", "192.0.2.7"], allow: ["10.1.0.0/16"] };
  const { findRefusal } = createReach(rules);
  assert.match(findRefusal("10.2.0.1") ?? "", /PROBE_DENY/);
  assert.match(findRefusal("fd12::1") ?? "", /PROBE_DENY/);
  assert.match(findRefusal("192.0.2.7") ?? "", /PROBE_DENY/);
  assert.equal(findRefusal("192.0.2.8"), null);
  assert.equal(findRefusal("10.1.2.3"), null);
  const { findRefusal: findOther } = createReach({ deny: [], allow: ["169.254.169.254"] });
  assert.equal(findOther("169.254.169.254"), null);
  assert.notEqual(findOther("169.254.169.253"), null);
});
