import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { captureLog } from "../../../test/support/apps/log.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { type HostedPage, listHostsOf, normaliseHost, PageHosts } from "./page-hosts.ts";

describe("the hosts of pages", () => {
  test("are compared in browser spelling", () => {
    for (const host of [
      "status.acme.test",
      "STATUS.Acme.test",
      "status.acme.test:3000",
      "status.acme.test.",
    ]) {
      assert.equal(normaliseHost(host), "status.acme.test");
    }
    assert.equal(normaliseHost("[::1]:80"), "[::1]");
  });

  test("are a subdomain of our host, if it is a name, and the custom domain", () => {
    const prefix = "/status/acme";
    const page = {
      pageKind: "status-page",
      pageId: "1",
      label: "acme",
      domain: "status.acme.test",
    } as const;
    assert.deepEqual(listHostsOf(page, "https://watch.example:8443/x"), [
      { host: "acme.watch.example", prefix },
      { host: "status.acme.test", prefix },
    ]);
    for (const address of ["http://127.0.0.1:3000", "http://[::1]:3000"]) {
      assert.deepEqual(listHostsOf({ ...page, domain: null }, address), []);
    }
    const dashboard = { ...page, pageKind: "dashboard", pageId: "abcdefgh", label: null } as const;
    assert.deepEqual(listHostsOf(dashboard, "https://watch.example"), [
      { host: "status.acme.test", prefix: "/dashboards/abcdefgh" },
    ]);
  });

  test("are re-read after a notification, once for many, and again after a failure", async () => {
    let hosts: readonly HostedPage[] = [];
    let loads = 0;
    let isAway = false;
    const load = async () => {
      loads += 1;
      if (isAway) throw new Error("the database is away");
      return hosts;
    };
    const known = new PageHosts({ load, log: captureLog().log });
    await known.load();
    hosts = [{ host: "New.test", prefix: "/status/new" }];
    for (let count = 0; count < 50; count += 1) known.reloadSoon();
    await waitUntil("the new host is known", () => known.find("new.test:80") === "/status/new");
    assert.equal(loads, 2);
    isAway = true;
    known.reloadSoon();
    await waitUntil("it failed", () => loads === 3);
    assert.equal(known.find("new.test"), "/status/new");
    isAway = false;
    hosts = [];
    await waitUntil("the host is gone", () => known.find("new.test") === null);
    await known.stop();
    known.reloadSoon();
    assert.equal(loads, 4);
  });
});
