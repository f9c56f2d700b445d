import assert from "node:assert/strict";
import { test } from "node:test";
import { assertGolden, withFiles } from "../../../../../test/support/imports/golden.ts";
import { UnreadableFile } from "../../reading.ts";
import { readBlackboxExporter } from "./index.ts";

const read = (contents: Readonly<Record<string, string>>) =>
  withFiles(contents, (files) => readBlackboxExporter(files, { allowPrivate: false }));

const modules = `
modules:
  http_2xx: { prober: http }
  http_post:
    prober: http
    timeout: 5s
    http:
      method: POST
      headers: { Accept: application/json, X-Api-Key: blackbox-header-secret }
      http_headers: { X-Trace: { values: [on] }, X-Sign: { secrets: [blackbox-sign-secret] } }
      body: '{"ping":true}'
      basic_auth: { username: probe, password: blackbox-basic-secret }
      valid_status_codes: [200, 201, 404]
      follow_redirects: false
      fail_if_not_ssl: true
      fail_if_body_matches_regexp: ["(?i)error"]
      fail_if_body_not_matches_regexp: ["^ok"]
      fail_if_header_matches: [{ header: Server, regexp: "Apache.*" }]
      fail_if_header_not_matches: [{ header: Age, regexp: "[0-9]+", allow_missing: true }]
      fail_if_body_json_matches_cel: "body.status == 'down'"
      proxy_url: http://proxy.example.com
      preferred_ip_protocol: ip4
      tls_config: { insecure_skip_verify: true, ca_file: /etc/shadow }
  tcp_connect: { prober: tcp, tcp: { preferred_ip_protocol: ip6, ip_protocol_fallback: false } }
  ssh_banner:
    prober: tcp
    tcp: { query_response: [{ send: "SSH-2.0-probe" }, { expect: "^SSH-2.0-" }] }
  tcp_tls:
    prober: tcp
    tcp:
      tls: true
      preferred_ip_protocol: ip6
      ip_protocol_fallback: false
      tls_config: { server_name: mail.example.com }
  icmp: { prober: icmp, icmp: { ttl: 5 } }
  dns_a:
    prober: dns
    dns:
      query_name: www.example.com
      query_type: A
      transport_protocol: tcp
      valid_rcodes: [NOERROR, NXDOMAIN]
      validate_answer_rrs:
        fail_if_matches_regexp: [".*127.0.0.1"]
        fail_if_not_matches_regexp: ["www.example.com.\\t.*\\tIN\\tA\\t192.0.2.*"]
  dns_any: { prober: dns, dns: { query_name: example.com } }
  dns_rrsig: { prober: dns, dns: { query_name: example.com, query_type: RRSIG } }
  grpc: { prober: grpc, grpc: { service: shop.v1.Cart, tls: true, metadata: { tenant: [a, b] } } }
  websocket: { prober: websocket }
  unix: { prober: unix }
`;

const relabeling = `
    relabel_configs:
      - { source_labels: [__address__], target_label: __param_target }
      - { source_labels: [__param_target], target_label: instance }
      - { target_label: __address__, replacement: "127.0.0.1:9115" }
`;

const prometheus = `
global: { scrape_interval: 30s }
scrape_configs:
  - job_name: web
    metrics_path: /probe
    params: { module: [http_2xx] }
    static_configs:
      - { targets: [https://shop.example.com, plain.example.com], labels: { team: edge } }
    file_sd_configs: [{ files: [targets/web*.yml, /etc/prometheus/missing/*.json] }]
${relabeling}
  - job_name: forms
    metrics_path: /probe
    scrape_interval: 45s
    scrape_timeout: 20s
    params: { module: [http_post], hostname: [shop.example.com] }
    static_configs:
      - targets:
          [https://shop.example.com/form, "http://probe:blackbox-url-secret@shop.example.com/a?b=c"]
${relabeling}
  - job_name: ports
    metrics_path: /probe
    static_configs:
      - targets:
        - ssh_banner;host.example.com:22
        - tcp_connect;[2001:db8::1]:5432
        - tcp_tls;mail.example.com:993
        - tcp_connect;no-port.example.com
        - icmp;192.0.2.1
        - dns_a;192.0.2.53
        - dns_any;192.0.2.53:5353
        - dns_rrsig;192.0.2.53
        - grpc;rpc.example.com:50051
        - websocket;wss://live.example.com/x
        - unix;/run/app.sock
        - unknown;a.example.com
        - dropped;a.example.com
    relabel_configs:
      - { source_labels: [__address__], regex: "dropped;.*", action: drop }
      - { source_labels: [__address__], regex: "([^;]+);(.*)", target_label: __param_module }
      - source_labels: [__address__]
        regex: "([^;]+);(.*)"
        replacement: \${2}
        target_label: __param_target
      - { source_labels: [__param_target], target_label: instance }
  - job_name: cluster
    metrics_path: /probe
    kubernetes_sd_configs: [{ role: service }]
${relabeling}
  - job_name: node
    static_configs: [{ targets: ["192.0.2.1:9100"] }]
`;

const rules = `
groups:
  - name: probes
    rules:
      - { alert: Down, expr: 'probe_success{job="web"} == 0', for: 5m }
      - { alert: DownLong, expr: 'probe_success == 0', for: 1h }
      - { alert: PortDown, expr: 'probe_success{instance=~".*:22|192.*"} < 1', for: 1m }
      - alert: Expiry
        expr: (probe_ssl_earliest_cert_expiry - time()) / 86400 < 14
      - { alert: Slow, expr: 'probe_duration_seconds{team="edge"} > 1.5' }
      - alert: Status
        expr: probe_http_status_code{job="web"} <= 199 OR probe_http_status_code{job="web"} >= 400
      - { alert: Average, expr: 'avg_over_time(probe_success[5m]) < 0.9' }
      - { alert: Elsewhere, expr: 'probe_success{job="other"} == 0' }
      - { alert: Load, expr: 'node_load1 > 5' }
      - { record: probes, expr: 'sum(probe_success)' }
`;

const files = {
  "blackbox.yml": modules,
  "prometheus.yml": prometheus,
  "targets/web-eu.yml": "- { targets: [https://eu.example.com], labels: { region: eu } }",
  "targets/other.json": '[{"targets": ["https://unused.example.com"]}]',
  "rules.yml": rules,
  "alertmanager.yml": "route: { receiver: ops }",
};

test("modules, targets and rules become checks, and a report without secrets", async () => {
  const { report, resources } = await read(files);
  assertGolden("blackbox-exporter", { report, resources });
  assert.doesNotMatch(JSON.stringify(report), /blackbox-[a-z]+-secret/);
  assert.match(JSON.stringify(resources), /blackbox-basic-secret/);
});

test("probes and rules of the Prometheus operator are read from one file", async () => {
  const manifest = `
apiVersion: monitoring.coreos.com/v1
kind: Probe
metadata: { name: shop }
spec:
  module: http_2xx
  interval: 60s
  targets:
    staticConfig:
      static: [https://shop.example.com]
      labels: { team: edge }
      relabelingConfigs: [{ sourceLabels: [team], targetLabel: team, action: uppercase }]
---
kind: PrometheusRule
spec:
  groups: [{ rules: [{ alert: Down, expr: 'probe_success == 0', for: 10m }] }]
---
kind: Probe
metadata: { name: ingresses }
spec: { module: http_2xx, targets: { ingress: {} } }
`;
  const { report, resources } = await read({ "blackbox.yml": modules, "probes.yml": manifest });
  assertGolden("blackbox-exporter-operator", { report, resources });
});

test("relabeling follows Prometheus: separators, templates, labels and hashes", async () => {
  const config = `
scrape_configs:
  - job_name: web
    metrics_path: /probe
    static_configs:
      - { targets: [A.example.com], labels: { env: prod, zone: z1, __meta_rack: r7, secret: x } }
      - { targets: [B.example.com], labels: { env: test } }
    relabel_configs:
      - { source_labels: [env], regex: prod, action: keep }
      - { source_labels: [__address__], target_label: __param_target, action: lowercase }
      - { source_labels: [env, zone], separator: "-", target_label: place }
      - { regex: __meta_(.+), action: labelmap }
      - { regex: secret, action: labeldrop }
      - { source_labels: [zone], modulus: 1, target_label: shard, action: hashmod }
      - { source_labels: [nothing], regex: "x+", target_label: never, replacement: y }
      - { source_labels: [__address__], regex: "(.).*", target_label: "first_$1", replacement: "is-\${1}" }
`;
  const { report, resources } = await read({ "b.yml": modules, "p.yml": config });
  assert.deepEqual(resources.find(({ type }) => type === "check")?.payload.tags, [
    ...["env:prod", "zone:z1", "place:prod-z1", "rack:r7", "shard:0", "first_A:is-A"],
  ]);
  assert.deepEqual(
    report.leftOut.map(({ name, why }) => [name, why]),
    [["B.example.com", "Relabeling drops it."]],
  );
});

test("an invalid rule leaves out its job, not the others", async () => {
  const job = (name: string, rule: string) => `
  - job_name: ${name}
    metrics_path: /probe
    static_configs: [{ targets: [a.example.com] }]
    relabel_configs: [{ source_labels: [__address__], target_label: __param_target }, ${rule}]`;
  const config = `scrape_configs:${job("good", "{ target_label: a, replacement: b }")}${job(
    "expression",
    '{ regex: "(?=x)", target_label: a }',
  )}${job("action", "{ action: __proto__ }")}`;
  const { report } = await read({ "b.yml": modules, "p.yml": config });
  assert.deepEqual(
    report.imported.map(({ origin }) => origin),
    ["prometheus/job-good", "prometheus/good/a.example.com"],
  );
  assert.deepEqual(
    report.leftOut.map(({ name, why }) => [name, why]),
    ["expression", "action"].map((name) => [
      name,
      "Rule 2 of its relabel_configs is not supported.",
    ]),
  );
});

test("malformed and hostile files are rejected with a reason", async () => {
  const many = `[{"targets": [${'"a",'.repeat(600_000)}"a"]}]`;
  const bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level <= 9; level += 1) {
    const aliases = Array(10).fill(`*a${level - 1}`);
    bomb.push(`a${level}: &a${level} [${aliases.join(", ")}]`);
  }
  const cases: readonly [Readonly<Record<string, string>>, RegExp][] = [
    [{ "blackbox.yml": modules }, /no configuration of Prometheus/],
    [{ "prometheus.yml": prometheus }, /no configuration of blackbox_exporter/],
    [{ "a.yml": modules, "b.yml": modules }, /b\.yml repeats the module/],
    [{ "a.yml": "modules: [" }, /a\.yml is not valid YAML/],
    [{ "a.yml": bomb.join("\n") }, /expands to too many values/],
    [{ "a.json": many }, /expands to too many values/],
    [{ "a.yml": "scrape_configs: !!js/function x" }, /not valid YAML/],
    [{ "a.yml": "" }, /no configuration of Prometheus/],
    [{ "a.yml": "modules: 7", "b.yml": "scrape_configs: [1, null]" }, /no file has modules/],
  ];
  for (const [contents, reason] of cases) {
    await assert.rejects(
      () => read(contents),
      (error) => error instanceof UnreadableFile && reason.test(error.message),
      Object.values(contents).join().slice(0, 60),
    );
  }
});

test("keys of prototypes and values of wrong types are only values", async () => {
  const { report } = await read({
    "b.yml": "modules: { __proto__: { prober: http }, constructor: { prober: toString } }",
    "p.yml": `
scrape_configs:
  - { job_name: [1], metrics_path: /probe, static_configs: [{ targets: [{ a: 1 }] }, 7] }
  - job_name: web
    metrics_path: /probe
    params: { module: [__proto__], target: [fixed.example.com] }
    static_configs: [{ targets: [a.example.com], labels: { __proto__: x, toString: y } }]
  - job_name: other
    metrics_path: /probe
    params: { module: [constructor], target: [fixed.example.com] }
    static_configs: [{ targets: [a.example.com] }]
`,
  });
  assert.deepEqual(
    report.imported.map(({ name }) => name),
    ["web", "fixed.example.com"],
  );
  assert.equal(report.leftOut.length, 2);
});
