import assert from "node:assert/strict";
import { test } from "node:test";
import { assertGolden, withFiles } from "../../../../../test/support/imports/golden.ts";
import { UnreadableFile } from "../../reading.ts";
import { readSmokeping } from "./index.ts";

const read = (contents: Readonly<Record<string, string>>) =>
  withFiles(contents, (files) => readSmokeping(files, { allowPrivate: false }));

const config = `
*** General ***
owner = Ops   # a comment
@include /etc/smokeping/config.d/pathnames
@define MAILS ops@example.com

*** Alerts ***
to = |/usr/bin/page,MAILS
from = smokeping@example.com
+ bigloss
type = loss
pattern = ==0%,==0%,>10%,>10%,>10%
comment = suddenly there is packet loss
+ lossdetect
type = loss
pattern = >=50%,>=50%
to = noc@example.com
+ slow
type = rtt
pattern = >100,>100,>100,>100,>100,>100,>100
+ startloss
type = loss
pattern = ==S,>0%,*12*,==U
comment = loss at startup
+ clever
type = matcher
pattern = CheckLoss(l => 20)

*** Database ***
step = 300
pings = 20
# consfn mrhb steps total
AVERAGE 0.5 1 1008

*** Probes ***
+ FPing
binary = /usr/bin/fping
++ FPingHigh
step = 60
pings = 100
packetsize = 1400
+ FPing6
+ DNS
+ AnotherDNS
require_noerror = 1
+ Curl
urlformat = http://%host%/
+ EchoPingHttps
+ TCPPing
port = 443
+ SSH
+ SipSak

*** Slaves ***
secrets = /etc/smokeping/secrets
+ riga
display_name = Riga

*** Targets ***
probe = FPing
menu = Top
title = Network Latency
alerts = bigloss,lossdetect

+ Europe
menu = Europe
title = Europe
++ Riga
menu = Riga
title = Riga \\
  site
+++ router
title = Core router
host = 192.0.2.1
alertee = riga@example.com
+++ fast
probe = FPingHigh
host = fast.example.com
alerts = slow,missing
slaves = riga
nomasterpoll = yes
+++ six
probe = FPing6
host = six.example.com
alerts =
+++ dynamic
host = DYNAMIC
+++ both
host = /Europe/Riga/router /Europe/Riga/fast
+ Services
probe = Curl
++ shop
host = shop.example.com
++ secure
urlformat = https://%host%/health
expect = fine
agent = User-Agent: probe
follow_redirects = yes
insecure_ssl = yes
timeout = 5
host = shop.example.com
++ echo
probe = EchoPingHttps
port = 8443
url = /ping
host = 2001:db8::1
++ port
probe = TCPPing
host = shop.example.com
++ shell
probe = SSH
host = shop.example.com
++ phone
probe = SipSak
host = shop.example.com
++ nowhere
probe = Nothing
host = shop.example.com
++ resolver
probe = DNS
lookup = www.example.com
host = 192.0.2.53
++ zone
probe = AnotherDNS
lookup = example.com
recordtype = MX
protocol = tcp
port = 5353
expect_text = mail
host = 192.0.2.53
+ alone
host = 192.0.2.9
`;

test("a configuration becomes checks, groups and channels, and a report", async () => {
  const { report, resources } = await read({ config });
  assertGolden("smokeping", { report, resources });
});

const parts = {
  config: "@include /etc/smokeping/config.d/Probes\n@include config.d/Targets",
  Probes: "*** Probes ***\n+ FPing\n",
  Targets: "*** Targets ***\nprobe = FPing\n+ lan\n@include lan.hosts",
  "lan.hosts": "++ gate\nhost = 192.0.2.1\n@include missing.hosts\n@include ../../etc/passwd",
  notes: "remember the milk",
};

test("included files are found among the uploaded ones only, and missing ones are reported", async () => {
  const { report } = await read(parts);
  assert.deepEqual(
    report.imported.map(({ origin }) => origin),
    ["smokeping/group-lan", "smokeping/lan/gate"],
  );
  assert.deepEqual(report.notes, [
    ...["missing.hosts", "passwd"].map(
      (name) => `The included file ${name} is not part of the upload. Add it to import it.`,
    ),
    "notes is not imported: it has no section.",
    "The history of SmokePing (RRD files) is not imported.",
  ]);
});

test("values of a section apply to the sections below it, except those of the target itself", async () => {
  const { resources, report } = await read({
    config: `*** Probes ***
+ TCPPing
*** Targets ***
probe = TCPPing
port = 1
title = Top
+ a
port = 2
host = a.example.com
title = A
++ b
host = b.example.com
++ c
port = 3
host = c.example.com
+++ d
+ e
host = e.example.com`,
  });
  const checks = resources.filter(({ type }) => type === "check");
  assert.deepEqual(
    checks.map(({ logicalId, payload }) => [
      logicalId,
      payload.name,
      (payload.request as { port: number }).port,
    ]),
    [
      ["smokeping/a", "A", 2],
      ["smokeping/a/b", "b", 2],
      ["smokeping/a/c", "c", 3],
      ["smokeping/e", "e", 1],
    ],
  );
  assert.deepEqual(report.leftOut, []);
});

test("malformed and hostile files are rejected with a reason", async () => {
  const doubling = ["@define d0 xxxxxxxxxx"];
  for (let level = 1; level <= 40; level += 1) {
    doubling.push(
      `@define d${level}_ d${level - 1}${level > 1 ? "_" : ""} d${level - 1}${level > 1 ? "_" : ""}`,
    );
  }
  const fan = Object.fromEntries(
    Array.from({ length: 9 }, (_, level) => [`f${level}`, `@include f${level + 1}\n`.repeat(20)]),
  );
  const cases: readonly [Readonly<Record<string, string>>, RegExp][] = [
    [{ config: "" }, /no section Targets/],
    [{ config: "@include /etc/passwd" }, /not uploaded: passwd/],
    [{ config: "*** Targets ***\n++ deep" }, /config, line 2: the subsection deep/],
    [{ config: "+ early" }, /line 1: the subsection early/],
    [{ config: `title = ${"x".repeat(20_000)}` }, /line 1 is longer than/],
    [{ config: "a \\\n".repeat(20_000) }, /is longer than/],
    [{ config: "\n".repeat(200_001) }, /more than 200000 lines/],
    [{ config: doubling.join("\n") }, /is longer than/],
    [
      { config: Array.from({ length: 300 }, (_, at) => `@define n${at}q x`).join("\n") },
      /definitions/,
    ],
    [{ a: "@include b", b: "@include a" }, /include each other/],
    [{ a: "@include b", b: "@include c", c: "@include b" }, /included too deeply/],
    [{ ...fan, f9: "menu = x\n" }, /more than 200000 lines/],
    [{ "x/config": "", "y/config": "" }, /the same name/],
    [{ config: "\u0000\uD800" }, /no section Targets/],
  ];
  for (const [contents, reason] of cases) {
    await assert.rejects(
      () => read(contents),
      (error) => error instanceof UnreadableFile && reason.test(error.message),
      String(reason),
    );
  }
});

test("keys of prototypes are only values", async () => {
  const { report } = await read({
    config: `*** Probes ***
+ __proto__
*** Targets ***
probe = constructor
__proto__ = x
+ __proto__
probe = __proto__
host = 192.0.2.1
+ constructor
host = 192.0.2.1`,
  });
  assert.deepEqual(
    report.leftOut.map(({ why }) => why),
    ["There is no check for probes of type __proto__.", "The files contain no probe constructor."],
  );
});
