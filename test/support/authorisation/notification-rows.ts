import { createHmac } from "node:crypto";
import { loadEncryption } from "../../../src/platform/encryption.ts";
import { createAcknowledgeUrl } from "../../../src/response/alerting/alert-message.ts";
import { createAlertState } from "../../../src/response/alerting/alert-state.ts";
import { createChannelConfigs } from "../modules/channel-configs.ts";
import { type Row, read, type Scene, type Sent } from "./authorisation-row.ts";
import { newCheck } from "./kind-rows.ts";
import { passkeyOrigin } from "./second-factor-rows.ts";

/**
 * Creates a check with an open alert. The alert is inserted directly, because a real failure takes
 * too long.
 */
async function newOpenAlert(scene: Scene): Promise<string> {
  const { test: app } = scene;
  const checkId = await newCheck(scene);
  const nowMs = app.clock.now().getTime();
  const calm = createAlertState(nowMs);
  const state = { ...calm, phase: "failing", alertedKind: "ALERT_FAILURE", alertNumber: 1 };
  await app.query("insert into alert_states (check_id, account_id, state) values ($1, $2, $3)", [
    checkId,
    app.owner.accountId,
    JSON.stringify({ ...state, openedAtMs: nowMs }),
  ]);
  return checkId;
}

/** Creates an open alert and returns the body of a request that pages the owner about it. */
export async function newPageBody(scene: Scene) {
  const { test: app } = scene;
  const checkId = await newOpenAlert(scene);
  await app.query(
    `insert into alerts (id, account_id, check_id, alert_number, kind, reason, is_reminder, at,
      decided_at) values ($1, $2, $3, 1, 'ALERT_FAILURE', 'x', false, $4, $4)`,
    [crypto.randomUUID(), app.owner.accountId, checkId, app.clock.now()],
  );
  const { rows } = await app.query(
    "select user_id from members where account_id = $1 and role = 'OWNER' limit 1",
    [app.owner.accountId],
  );
  const userId = rows[0]?.user_id;
  await app.query(
    `insert into contact_methods (id, account_id, user_id, type, config, verified_at, created_at)
      values ($1, $2, $3, 'WEBHOOK', '{"name": "x", "url": "http://127.0.0.1:9"}', $4, $4)`,
    [crypto.randomUUID(), app.owner.accountId, userId, app.clock.now()],
  );
  return { checkId, userId };
}

async function newLink(scene: Scene): Promise<string> {
  const encryption = await loadEncryption(scene.test.dataDir, undefined);
  const about = { checkId: await newOpenAlert(scene), alertNumber: 1 };
  return createAcknowledgeUrl({ encryption }, "", about);
}

/** Returns a request of Twilio about a pressed key, signed for a channel of the account. */
async function newPressedKey(scene: Scene): Promise<Sent> {
  const { test: app } = scene;
  const authToken = "auth-token";
  const config = createChannelConfigs("https://example.com", authToken).TWILIO;
  const created = await app.call("POST", "/v1/alert-channels", {
    body: { type: "TWILIO", config },
  });
  const link = await newLink(scene);
  const path = `${link}/call/${created.body.id}`;
  const signed = createHmac("sha1", authToken).update(`${passkeyOrigin}${path}Digits1`);
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "x-twilio-signature": signed.digest("base64"),
  };
  return { path, headers, rawBody: "Digits=1" };
}

/** Creates a notification whose delivery was abandoned, and returns its id. */
async function newReceipt(scene: Scene): Promise<string> {
  const { test: app } = scene;
  const id = crypto.randomUUID();
  await app.query(
    `insert into deliveries (id, account_id, alert_id, check_id, channel_type, recipient, message,
      status, next_attempt_at, decided_at) values ($1, $2, $1, $3, 'EMAIL', 'a@example.com',
      '{"kind": "ALERT_FAILURE", "title": "x is failing"}', 'DEAD', $4, $4)`,
    [id, app.owner.accountId, await newCheck(scene), app.clock.now()],
  );
  return id;
}

async function newAlert(scene: Scene): Promise<string> {
  const { test: app } = scene;
  const id = crypto.randomUUID();
  await app.query(
    `insert into alerts (id, account_id, check_id, alert_number, kind, reason, is_reminder, at,
      decided_at) values ($1, $2, $3, 1, 'ALERT_FAILURE', 'run-threshold-reached', false, $4, $4)`,
    [id, app.owner.accountId, await newCheck(scene), app.clock.now()],
  );
  return id;
}

export const notificationRows: readonly Row[] = [
  read("/v1/alert-notifications"),
  {
    route: "GET /v1/alert-notifications/:id",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/alert-notifications/${await newReceipt(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/alert-notifications/:id/replay",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/alert-notifications/${await newReceipt(scene)}/replay`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v1/alert-stories/:id",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/alert-stories/${await newAlert(scene)}` }),
    status: 200,
    isScoped: true,
  },
  read("/v1/check-alerts"),
  read("/v1/check-alerts/open"),
  {
    route: "GET /v1/check-alerts/:checkId",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/check-alerts/${await newCheck(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/check-alerts/acknowledge",
    least: "READ_RUN",
    request: async (scene) => ({
      path: "/v1/check-alerts/acknowledge",
      body: { checkIds: [await newOpenAlert(scene)] },
    }),
    status: 200,
  },
  {
    route: "POST /v1/check-alerts/:checkId/acknowledge",
    least: "READ_RUN",
    request: async (scene) => ({
      path: `/v1/check-alerts/${await newOpenAlert(scene)}/acknowledge`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/check-alerts/:checkId/snooze",
    least: "READ_RUN",
    request: async (scene) => ({
      path: `/v1/check-alerts/${await newOpenAlert(scene)}/snooze`,
      body: { minutes: 15 },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/check-alerts/:checkId/escalate",
    least: "READ_RUN",
    request: async (scene) => ({
      path: `/v1/check-alerts/${await newOpenAlert(scene)}/escalate`,
    }),
    // Expected because no escalation policy has another step.
    status: 409,
    isScoped: true,
    isUnaudited: true,
  },
  {
    route: "POST /v1/check-alerts/:checkId/reassign",
    least: "READ_RUN",
    request: async (scene) => {
      const { checkId, userId } = await newPageBody(scene);
      return { path: `/v1/check-alerts/${checkId}/reassign`, body: { userId } };
    },
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/on-call/pages",
    least: "READ_RUN",
    request: async (scene) => ({ path: "/v1/on-call/pages", body: await newPageBody(scene) }),
    status: 201,
  },
  {
    route: "GET /acknowledge/:token",
    least: null,
    request: async (scene) => ({ path: await newLink(scene) }),
    status: 200,
  },
  {
    route: "POST /acknowledge/:token",
    least: null,
    request: async (scene) => ({ path: await newLink(scene) }),
    status: 200,
  },
  {
    route: "GET /acknowledge/:token/snooze",
    least: null,
    request: async (scene) => ({ path: `${await newLink(scene)}/snooze` }),
    status: 200,
  },
  {
    route: "POST /acknowledge/:token/snooze",
    least: null,
    request: async (scene) => ({ path: `${await newLink(scene)}/snooze` }),
    status: 200,
  },
  {
    route: "GET /acknowledge/:token/escalate",
    least: null,
    request: async (scene) => ({ path: `${await newLink(scene)}/escalate` }),
    status: 200,
  },
  {
    route: "POST /acknowledge/:token/escalate",
    least: null,
    request: async (scene) => ({ path: `${await newLink(scene)}/escalate?stage=1` }),
    // Expected because no escalation policy has another step.
    status: 409,
    isUnaudited: true,
  },
  {
    route: "POST /acknowledge/:token/call/:channelId",
    least: null,
    request: newPressedKey,
    status: 200,
  },
];
