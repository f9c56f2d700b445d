/** Account limits hold under concurrent requests. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "./support/apps/app.ts";
import { shareTestApp } from "./support/apps/shared-app.ts";
import { makeCertificate } from "./support/certificates/make-certificate.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

interface Limit {
  readonly things: string;
  readonly max: number;
  readonly path: string;
  readonly body: (index: number) => Readonly<Record<string, unknown>>;
  /** Returns SQL that adds this number of resources for account $1. */
  readonly fill: (count: number) => string;
}

const certificate = makeCertificate();
const at = "2026-11-16T00:00:00Z";
const limits: readonly Limit[] = [
  {
    things: "API keys",
    max: 1_000,
    path: "/v1/api-keys",
    body: (index) => ({ name: `key ${index}`, type: "SERVICE", role: "READ_ONLY" }),
    // The owner's key is one of them.
    fill: (
      count,
    ) => `insert into api_keys (id, account_id, name, key_hash, last_four, role, created_at)
      select gen_random_uuid(), $1, 'k', uuid_send(gen_random_uuid()), 'abcd', 'READ_ONLY', now()
      from generate_series(2, ${count})`,
  },
  {
    things: "services",
    max: 1_000,
    path: "/v1/status-pages/services",
    body: (index) => ({ name: `service ${index}` }),
    fill: (count) => `insert into services (id, account_id, name, created_at)
      select gen_random_uuid(), $1, 's', now() from generate_series(1, ${count})`,
  },
  {
    things: "status pages",
    max: 500,
    path: "/v1/status-pages",
    body: (index) => ({ name: "Page", url: `limit-${index}`, cards: [] }),
    fill: (
      count,
    ) => `insert into status_pages (id, account_id, name, url, is_private, settings, version, created_at)
      select gen_random_uuid(), $1, 'p', 'filled-' || n, false, '{}', 1, now()
      from generate_series(1, ${count}) as n`,
  },
  {
    things: "incident templates",
    max: 100,
    path: "/v1/status-pages/incident-templates",
    body: (index) => ({
      name: `template ${index}`,
      updates: [{ status: "INVESTIGATING", description: "Trouble." }],
    }),
    fill: (count) => `insert into incident_templates (id, account_id, name, template, created_at)
      select gen_random_uuid(), $1, 't' || n, '{}', now() from generate_series(1, ${count}) as n`,
  },
  {
    things: "variables",
    max: 1_000,
    path: "/v1/variables",
    body: (index) => ({ key: `LIMIT_${index}`, value: "x" }),
    fill: (
      count,
    ) => `insert into variables (account_id, key, sealed, is_locked, is_secret, created_at)
      select $1, 'filled_' || n, '', false, false, now() from generate_series(1, ${count}) as n`,
  },
  {
    things: "client certificates",
    max: 100,
    path: "/v1/client-certificates",
    body: () => ({ host: "a.example", cert: certificate.cert, key: certificate.key }),
    fill: (count) => `insert into client_certificates
      (id, account_id, host, certificate, sealed_key, created_at)
      select gen_random_uuid(), $1, 'a.example', '', '', now() from generate_series(1, ${count})`,
  },
  {
    things: "maintenance windows",
    max: 100,
    path: "/v1/maintenance-windows",
    body: (index) => ({ name: `window ${index}`, startsAt: at, endsAt: "2026-11-16T01:00:00Z" }),
    fill: (count) => `insert into maintenance_windows (account_id, name, schedule, created_at)
      select $1, 'w', '{}', now() from generate_series(1, ${count})`,
  },
];

for (const { things, max, path, body, fill } of limits) {
  test(`only one of many requests for the last of ${max} ${things} succeeds`, async () => {
    await app.query(fill(max - 1), [app.owner.accountId]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => app.call("POST", path, { body: body(index) })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(7).fill(409)], things);
  });
}
