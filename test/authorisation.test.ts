/**
 * Every registered route × {no key, bad, expired, revoked, read-only, another account's}. A route
 * without a row fails the build. The row's own request also proves that writes are audited.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Role } from "../src/domains/accounts/index.ts";
import { type CallOptions, startTestApp } from "./support/apps/app.ts";
import { addStranger, createKey } from "./support/apps/cast.ts";
import { accountRows } from "./support/authorisation/account-rows.ts";
import { agentRows } from "./support/authorisation/agent-rows.ts";
import { alertingRows } from "./support/authorisation/alerting-rows.ts";
import { annotationRows } from "./support/authorisation/annotation-rows.ts";
import type { Row, Scene } from "./support/authorisation/authorisation-row.ts";
import { certificateRows } from "./support/authorisation/certificate-rows.ts";
import { checkRows } from "./support/authorisation/check-rows.ts";
import { dashboardRows } from "./support/authorisation/dashboard-rows.ts";
import { eventRows } from "./support/authorisation/event-rows.ts";
import { heartbeatRows } from "./support/authorisation/heartbeat-rows.ts";
import { incidentRows } from "./support/authorisation/incident-rows.ts";
import { locationRows } from "./support/authorisation/location-rows.ts";
import { notificationRows } from "./support/authorisation/notification-rows.ts";
import { operationRows } from "./support/authorisation/operation-rows.ts";
import { prometheusRows } from "./support/authorisation/prometheus-rows.ts";
import { publicPageRows } from "./support/authorisation/public-page-rows.ts";
import { pushRows } from "./support/authorisation/push-rows.ts";
import { listRoutes } from "./support/authorisation/routes.ts";
import { passkeyOrigin, secondFactorRows } from "./support/authorisation/second-factor-rows.ts";
import { statusPageRows } from "./support/authorisation/status-page-rows.ts";
import { subscriberRows } from "./support/authorisation/subscriber-rows.ts";
import { variableRows } from "./support/authorisation/variable-rows.ts";
import { webRows } from "./support/authorisation/web-rows.ts";

const rows: readonly Row[] = [
  ...accountRows,
  ...secondFactorRows,
  ...checkRows,
  ...heartbeatRows,
  ...alertingRows,
  ...operationRows,
  ...annotationRows,
  ...variableRows,
  ...certificateRows,
  ...locationRows,
  ...notificationRows,
  ...pushRows,
  ...incidentRows,
  ...statusPageRows,
  ...subscriberRows,
  ...prometheusRows,
  ...publicPageRows,
  ...dashboardRows,
  ...eventRows,
  ...agentRows,
  ...webRows,
];
const roleNames = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"] as const;

let scene: Scene;
let keys: Record<Role, string>;
let badKeys: Record<"no key" | "bad" | "malformed" | "expired" | "revoked", CallOptions>;

before(async () => {
  const app = await startTestApp({ PUBLIC_URL: passkeyOrigin });
  const entries = await Promise.all(
    roleNames.map(async (role) => [role, (await createKey(app, role)).key] as const),
  );
  keys = Object.fromEntries(entries) as Record<Role, string>;
  const expiresAt = new Date(app.clock.now().getTime() + 1_000).toISOString();
  const expired = await createKey(app, "OWNER", { expiresAt });
  const revoked = await createKey(app, "OWNER");
  await app.call("GET", "/v1/runtimes", { key: revoked.key });
  await app.call("DELETE", `/v1/api-keys/${revoked.id}`);
  app.clock.advance(2_000);
  scene = { test: app, stranger: await addStranger(app) };
  badKeys = {
    "no key": { key: null },
    bad: { key: "vd_there-is-no-such-key-anywhere" },
    malformed: { key: null, headers: { authorization: "Basic b3duZXI6cGFzc3dvcmQ=" } },
    expired: { key: expired.key },
    revoked: { key: revoked.key },
  };
});

after(() => scene.test.stop());

test("every registered route has a row, and every row a route", () => {
  const registered = listRoutes(scene.test.app).map(({ method, url }) => `${method} ${url}`);
  const described = rows.map((row) => row.route);
  const without = registered.filter((route) => !described.includes(route));
  assert.deepEqual(without, [], "routes without a row");
  assert.deepEqual([...registered].sort(), described.sort());
});

function methodOf(row: Row): string {
  return row.route.split(" ")[0] ?? "";
}

async function countAuditEntries(): Promise<number> {
  const text = "select count(*)::int as count from audit_entries where account_id = $1";
  const { rows: counted } = await scene.test.query(text, [scene.test.owner.accountId]);
  return counted[0].count;
}

for (const row of rows) {
  const method = methodOf(row);
  let made: ReturnType<Row["request"]> | undefined;
  /** What is refused changes nothing, so that one request serves all who must be refused. */
  const refusedRequest = () => {
    made ??= row.request(scene);
    return made;
  };

  test(`${row.route} serves whoever may call it, and leaves an audit entry when it writes`, async () => {
    const { path, ...options } = await row.request(scene);
    const before = await countAuditEntries();
    const answer = await scene.test.call(method, path, options);
    assert.equal(answer.status, row.status, answer.text);
    assert.ok(answer.headers.get("x-request-id"));
    const isAudited = row.isAudited ?? (method !== "GET" && row.isUnaudited !== true);
    const { auditEntries = isAudited ? 1 : 0 } = row;
    assert.equal(await countAuditEntries(), before + auditEntries);
  });

  if (row.least === null) {
    test(`${row.route} needs no key`, async () => {
      const { path, ...options } = await row.request(scene);
      const answer = await scene.test.call(method, path, { ...options, key: null });
      assert.equal(answer.status, row.status, answer.text);
    });
    continue;
  }

  const { least } = row;

  test(`${row.route} answers 401 without a good key`, async () => {
    const { path, body } = await refusedRequest();
    for (const [name, bad] of Object.entries(badKeys)) {
      const answer = await scene.test.call(method, path, { body, ...bad });
      assert.equal(answer.status, 401, `${name}: ${answer.text}`);
      const { hint: _hint, ...body401 } = answer.body;
      assert.deepEqual(body401, {
        statusCode: 401,
        error: "Unauthorized",
        message: "Bad Token",
        attributes: {},
      });
    }
  });

  test(`${row.route} asks for ${least} and answers 403 below it`, async () => {
    for (const role of roleNames) {
      const isEnough = roleNames.indexOf(role) >= roleNames.indexOf(least);
      const { path, body } = await (isEnough ? row.request(scene) : refusedRequest());
      const answer = await scene.test.call(method, path, { body, key: keys[role] });
      if (isEnough) {
        const allowed = [row.status, row.serviceKeyStatus ?? row.status];
        assert.ok(allowed.includes(answer.status), `${role}: ${answer.status} ${answer.text}`);
      } else {
        assert.equal(answer.status, 403, `${role}: ${answer.text}`);
        assert.deepEqual(answer.body, {
          statusCode: 403,
          error: "Forbidden",
          message: "Forbidden",
        });
      }
    }
  });

  test(`${row.route} answers 403 to a key that names an account it cannot act for`, async () => {
    const { path, body } = await refusedRequest();
    const account = scene.test.owner.accountId;
    const options = { body, key: scene.stranger.key, account };
    const answer = await scene.test.call(method, path, options);
    assert.equal(answer.status, 403, answer.text);
  });

  if (row.isScoped) {
    test(`${row.route} does not find what belongs to another account`, async () => {
      const { path, body } = await refusedRequest();
      const answer = await scene.test.call(method, path, { body, key: scene.stranger.key });
      // A path that names the account itself is refused before anything is looked for.
      assert.equal(answer.status, row.route.includes(":accountId") ? 403 : 404, answer.text);
    });
  }
}
