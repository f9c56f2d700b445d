import assert from "node:assert/strict";
import { test } from "node:test";
import { assertGolden, withFiles } from "../../../../../test/support/imports/golden.ts";
import { UnreadableFile } from "../../reading.ts";
import { readGatus } from "./index.ts";

const read = (contents: Readonly<Record<string, string>>) =>
  withFiles(contents, (files) => readGatus(files, { allowPrivate: false }));

const config = `
alerting:
  slack:
    webhook-url: "https://hooks.example.com/gatus-slack-secret"
    default-alert: { failure-threshold: 7, send-on-resolved: true }
  zulip: { bot-email: x }
x-defaults: &defaults
  interval: 45s
  alerts: [{ type: slack }]
endpoints:
  - name: Shop
    group: Core web
    url: https://shop.example.com/health
    <<: *defaults
    conditions:
      - "[STATUS] == 200"
      - "[RESPONSE_TIME] <= 300"
      - "[BODY].status == UP"
      - "[BODY] == pat(*welcome*)"
      - "[CERTIFICATE_EXPIRATION] > 48h"
      - "[STATUS] == any(200, 429)"
    headers: { Authorization: Bearer gatus-header-secret }
    client: { insecure: true, timeout: 5s, proxy-url: "http://proxy.example.com" }
    extra-labels: { team: edge }
  - name: Router
    url: icmp://192.0.2.1
    interval: 5m
    enabled: false
    conditions: ["[CONNECTED] == true"]
  - name: Mail
    url: tcp://mail.example.com:25
    conditions: ["[CONNECTED] == true"]
  - name: Names
    url: 8.8.8.8
    dns: { query-name: example.com, query-type: A }
    conditions: ["[DNS_RCODE] == NOERROR", "[BODY] == 192.0.2.9"]
  - name: Certificate
    url: tls://shop.example.com:443
    conditions: ["[CERTIFICATE_EXPIRATION] > 240h"]
  - name: Shell
    url: ssh://host.example.com:22
    ssh: { username: "\${SSH_USER}", password: x }
    conditions: ["[CONNECTED] == true"]
  - name: Cart
    url: grpcs://cart.example.com
    client: { insecure: true }
    conditions: ["[CONNECTED] == true"]
  - name: Game
    url: udp://game.example.com:27015
    conditions: ["[CONNECTED] == true"]
external-endpoints:
  - name: Nightly backup
    group: Core web
    token: gatus-external-secret
    heartbeat: { interval: 30m }
suites:
  - name: Checkout
    endpoints: []
maintenance: { start: "23:00", duration: 1h }
`;

test("a configuration becomes checks, channels and aliases, and a report without secrets", async () => {
  const { report, resources, aliases } = await read({ "config.yaml": config });
  assertGolden("gatus", { report, resources, aliases });
  assert.doesNotMatch(JSON.stringify(report), /gatus-[a-z]+-secret/);
});

test("conditions that a check of this kind cannot assert are reported", async () => {
  for (const url of ["icmp://192.0.2.1", "tls://a.test:443", "grpc://a.test", "ssh://a.test"]) {
    const endpoint = {
      name: "One",
      url,
      conditions: ["[CONNECTED] == true", "[RESPONSE_TIME] < 9"],
    };
    const { report } = await read({ "config.yaml": JSON.stringify({ endpoints: [endpoint] }) });
    const lost = report.changed.filter(({ field }) => field === "condition");
    assert.deepEqual(
      lost.map(({ from, to }) => [from, to]),
      [["[RESPONSE_TIME] < 9", "none"]],
      url,
    );
  }
});

test("files of a folder are merged, and a scalar given twice is an error", async () => {
  const one = "endpoints: [{ name: A, url: icmp://192.0.2.1, conditions: [] }]\nmetrics: true";
  const two = "endpoints: [{ name: B, url: icmp://192.0.2.2, conditions: [] }]";
  const { report } = await read({ "a.yaml": one, "b.yaml": two });
  assert.deepEqual(
    report.imported.map(({ name }) => name),
    ["A", "B"],
  );
  await assert.rejects(
    () => read({ "a.yaml": one, "b.yaml": `${two}\nmetrics: false` }),
    UnreadableFile,
  );
});

test("hostile and malformed files are rejected with a reason", async () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level <= 9; level += 1) {
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(", ")}]`,
    );
  }
  const cases: readonly [string, RegExp][] = [
    [lines.join("\n"), /too many values/],
    [`${"[".repeat(200)}${"]".repeat(200)}`, /not valid YAML/],
    ["endpoints: !!js/function 'x'", /not valid YAML/],
    ["endpoints: [", /not valid YAML/],
    ["hello: world", /has no endpoints/],
    ["", /not valid YAML|has no endpoints/],
  ];
  for (const [text, reason] of cases) {
    await assert.rejects(
      () => read({ "config.yaml": text }),
      (error) => error instanceof UnreadableFile && reason.test(error.message),
      text.slice(0, 60),
    );
  }
});
