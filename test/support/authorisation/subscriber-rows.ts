import { loadEncryption } from "../../../src/platform/encryption.ts";
import { sealToken, type TokenPurpose } from "../../../src/sites/subscribers/links.ts";
import { addPage, type SubscriberPage } from "../modules/subscribers.ts";
import type { Row, Scene } from "./authorisation-row.ts";

let count = 0;
function nextMailbox(): string {
  count += 1;
  return `row-${count}@example.com`;
}

const pathOf = ({ id }: SubscriberPage) => `/v1/status-pages/${id}/subscriptions`;

async function newSubscriber({ test: app }: Scene) {
  const page = await addPage(app);
  const body = { subscriptions: [{ type: "EMAIL", config: nextMailbox() }], autoVerify: true };
  await app.call("POST", `${pathOf(page)}/bulk`, { body });
  const { body: list } = await app.call("GET", pathOf(page));
  return { page, id: list[0].id as string };
}

async function newLink(scene: Scene, purpose: TokenPurpose): Promise<string> {
  const { page, id: subscriberId } = await newSubscriber(scene);
  // The subscriber becomes pending again, because a second confirmation would have no effect.
  await scene.test.query("update subscribers set status = 'PENDING' where id = $1", [subscriberId]);
  const encryption = await loadEncryption(scene.test.dataDir, undefined);
  const about = { purpose, statusPageId: page.id, subscriberId, expiresAt: null };
  return `/status/${page.url}/${purpose}/${sealToken(encryption, about)}`;
}

const form = { "content-type": "application/x-www-form-urlencoded" };

/** Returns the rows for opening a mailed link and for submitting the form behind the link. */
function linkRows(purpose: TokenPurpose): readonly Row[] {
  const request = async (scene: Scene) => ({ path: await newLink(scene, purpose) });
  return [
    { route: `GET /status/:url/${purpose}/:token`, least: null, request, status: 200 },
    {
      route: `POST /status/:url/${purpose}/:token`,
      least: null,
      request: async (scene) => ({ ...(await request(scene)), headers: form, rawBody: "" }),
      status: 200,
    },
  ];
}

export const subscriberRows: readonly Row[] = [
  {
    route: "GET /v1/status-pages/:statusPageId/subscriptions",
    least: "READ_ONLY",
    request: async ({ test: app }) => ({ path: pathOf(await addPage(app)) }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v1/status-pages/:statusPageId/subscriptions/deliveries",
    least: "READ_ONLY",
    request: async ({ test: app }) => ({ path: `${pathOf(await addPage(app))}/deliveries` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/status-pages/:statusPageId/subscriptions/bulk",
    least: "READ_WRITE",
    request: async ({ test: app }) => ({
      path: `${pathOf(await addPage(app))}/bulk`,
      body: { subscriptions: [{ type: "EMAIL", config: nextMailbox() }], autoVerify: true },
    }),
    status: 201,
    isScoped: true,
  },
  {
    route: "DELETE /v1/status-pages/:statusPageId/subscriptions/:subscriptionId",
    least: "READ_WRITE",
    request: async (scene) => {
      const { page, id } = await newSubscriber(scene);
      return { path: `${pathOf(page)}/${id}` };
    },
    status: 204,
    isScoped: true,
  },
  {
    route: "GET /v1/status-pages/:statusPageId/subscriptions/counts",
    least: "READ_ONLY",
    request: async ({ test: app }) => ({ path: `${pathOf(await addPage(app))}/counts` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v1/status-pages/:statusPageId/subscriptions/export",
    least: "READ_ONLY",
    request: async ({ test: app }) => ({ path: `${pathOf(await addPage(app))}/export` }),
    status: 200,
    isScoped: true,
    isAudited: true,
  },
  {
    route: "POST /v1/status-pages/:statusPageId/subscriptions/import",
    least: "READ_WRITE",
    request: async ({ test: app }) => ({
      path: `${pathOf(await addPage(app))}/import`,
      body: { text: nextMailbox(), autoVerify: true },
    }),
    status: 200,
    isScoped: true,
  },
  {
    // The row uses a Slack subscription, because the server of these tests sends no mail.
    route: "POST /v1/status-pages/:statusPageId/subscriptions/:subscriptionId/confirmation",
    least: "READ_WRITE",
    request: async (scene) => {
      const { page, id } = await newSubscriber(scene);
      const encryption = await loadEncryption(scene.test.dataDir, undefined);
      count += 1;
      const address = encryption.encrypt(`https://hooks.slack.com/services/A/B/C${count}`);
      await scene.test.query(
        "update subscribers set status = 'PENDING', type = 'SLACK', address = $2 where id = $1",
        [id, address],
      );
      return { path: `${pathOf(page)}/${id}/confirmation` };
    },
    status: 204,
    isScoped: true,
  },
  {
    route: "POST /v1/status-pages/:statusPageId/subscriptions/deliveries/:deliveryId/resend",
    least: "READ_WRITE",
    request: async (scene) => {
      const { page, id } = await newSubscriber(scene);
      const { rows } = await scene.test.query(
        `insert into subscriber_deliveries (id, account_id, status_page_id, subscriber_id, purpose,
          lane, status, next_attempt_at, decided_at)
        select gen_random_uuid(), account_id, status_page_id, id, 'remind', 'none', 'DEAD', now(), now()
        from subscribers where id = $1 returning id`,
        [id],
      );
      return { path: `${pathOf(page)}/deliveries/${rows[0].id}/resend` };
    },
    status: 204,
    isScoped: true,
  },
  {
    route: "GET /status/:url/subscribe",
    least: null,
    request: async ({ test: app }) => ({ path: `/status/${(await addPage(app)).url}/subscribe` }),
    status: 200,
  },
  {
    // The request of a visitor stores nothing until it is confirmed, and auditing such requests
    // would flood the audit log.
    route: "POST /status/:url/subscribe",
    least: null,
    request: async ({ test: app }) => ({
      path: `/status/${(await addPage(app)).url}/subscribe`,
      headers: form,
      rawBody: `type=WEBHOOK&address=${encodeURIComponent("https://hooks.invalid/one")}`,
    }),
    status: 200,
    isUnaudited: true,
  },
  ...linkRows("confirm"),
  ...linkRows("manage"),
  ...linkRows("unsubscribe"),
];
