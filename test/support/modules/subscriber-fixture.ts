import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { TestContext } from "node:test";
import { Registry } from "prom-client";
import type { SMTPServerOptions } from "smtp-server";
import { insertAccount } from "../../../src/access/accounts/store.ts";
import { Encryption } from "../../../src/platform/encryption.ts";
import { createMailer } from "../../../src/platform/mail.ts";
import { RateLimit } from "../../../src/platform/rate-limit.ts";
import { insertService } from "../../../src/sites/status-pages/services/store.ts";
import { insertStatusPage, replaceCards } from "../../../src/sites/status-pages/store.ts";
import type { Announcement } from "../../../src/sites/subscribers/announcement-store.ts";
import { announce } from "../../../src/sites/subscribers/announcement-store.ts";
import {
  createSignUpLimits,
  createSubscriberMetrics,
  type SubscribersContext,
} from "../../../src/sites/subscribers/context.ts";
import {
  addressAnnouncements,
  createSubscriberDeliverer,
  type SubscriberDeliverer,
} from "../../../src/sites/subscribers/deliverer.ts";
import { signUpSubscriber } from "../../../src/sites/subscribers/store.ts";
import {
  parseAddress,
  type SubscriberStatus,
  type SubscriberType,
} from "../../../src/sites/subscribers/subscriber.ts";
import { captureLog } from "../apps/log.ts";
import { takeReusableDatabase } from "../database/reusable-database.ts";
import { type HttpReceiver, startHttpReceiver } from "../servers/http-receiver.ts";
import { type MailReceiver, startMailReceiver } from "../servers/mail-receiver.ts";
import { TestClock } from "../time/clock.ts";
import { createTestOutbound } from "./subscribers.ts";

export interface RoomPage {
  readonly id: string;
  readonly serviceIds: readonly string[];
}

export interface NewcomerInput {
  readonly address: string;
  readonly type?: SubscriberType;
  readonly services?: readonly string[] | null;
  readonly status?: SubscriberStatus;
}

/**
 * The subscribers module without the rest of the product, with real receivers. No background loop
 * runs.
 */
export interface SubscriberFixture {
  readonly context: SubscribersContext;
  readonly accountId: string;
  readonly clock: TestClock;
  readonly mail: MailReceiver;
  readonly http: HttpReceiver;
  readonly deliverer: SubscriberDeliverer;
  readonly addAccount: () => Promise<string>;
  readonly addPage: (
    serviceNames: readonly string[],
    more?: { readonly serviceIds?: readonly string[]; readonly name?: string },
  ) => Promise<RoomPage>;
  readonly addSubscriber: (page: RoomPage, input: NewcomerInput) => Promise<string>;
  readonly announce: (serviceIds: readonly string[], more?: Partial<Announcement>) => Promise<void>;
  readonly fanOut: () => Promise<void>;
  readonly deliver: () => Promise<void>;
  readonly query: (
    text: string,
    ...values: readonly unknown[]
  ) => Promise<Record<string, unknown>[]>;
}

const noSettings = {
  description: null,
  customDomain: null,
  themeColors: null,
  logo: null,
  logoDark: null,
  favicon: null,
  redirectTo: null,
  defaultTheme: "AUTO",
  whiteLabel: false,
  brandColor: null,
  customCSS: "",
  headerLinks: [],
  footerText: null,
  footerLinks: [],
  historyDays: 90,
  allowIndexing: true,
  googleAnalyticsTag: null,
} as const;

let pageCount = 0;

function createHands(context: SubscribersContext, accountId: string) {
  const { db, clock, encryption } = context;
  const addPage: SubscriberFixture["addPage"] = async (serviceNames, more = {}) => {
    const fresh = serviceNames.map((name) => ({
      id: randomUUIDv7(),
      name,
      createdAt: clock.now(),
    }));
    for (const service of fresh) await insertService(db, accountId, service);
    const serviceIds = [...fresh.map(({ id }) => id), ...(more.serviceIds ?? [])];
    const id = randomUUIDv7();
    pageCount += 1;
    const times = { createdAt: clock.now(), updatedAt: null };
    const face = { name: more.name ?? "Acme status", url: `page-${pageCount}`, isPrivate: false };
    await insertStatusPage(db, accountId, {
      ...times,
      ...face,
      id,
      settings: noSettings,
      cssWarnings: [],
      version: 1,
      usesComponents: false,
    });
    const look = { position: 0, description: null, isHidden: false, showsHistory: true };
    const services = serviceIds.map((serviceId, position) => {
      return { serviceId, componentId: randomUUIDv7(), look: { ...look, position } };
    });
    const card = { id: randomUUIDv7(), name: "Shop", isUngrouped: false, look, services, ...times };
    await replaceCards(db, accountId, { id, cards: [card] });
    return { id, serviceIds };
  };
  const addSubscriber: SubscriberFixture["addSubscriber"] = async (page, input) => {
    const { type = "EMAIL", status = "VERIFIED", services = null } = input;
    const address = parseAddress(type, input.address);
    if (address.kind === "invalid") throw new Error(`${input.address} ${address.rule}`);
    const { id } = await signUpSubscriber(db, accountId, {
      id: randomUUIDv7(),
      statusPageId: page.id,
      address,
      serviceIds: services,
      status,
      secret: type === "WEBHOOK" ? "a secret of theirs" : null,
      at: clock.now(),
      encryption,
    });
    return id;
  };
  return { addPage, addSubscriber };
}

/** Returns an announcement of a typical incident update. */
export function makeAnnouncement(
  serviceIds: readonly string[],
  at: Date,
  more: Partial<Announcement> = {},
): Announcement {
  return {
    sourceId: randomUUIDv7(),
    kind: "incident",
    title: "Payments fail",
    status: "INVESTIGATING",
    severity: "MAJOR",
    body: "We are looking **into it**.",
    serviceIds,
    serviceNames: serviceIds.map((_id, index) => `Service ${index + 1}`),
    incidentId: null,
    at,
    ...more,
  };
}

export async function createSubscriberFixture(
  t: TestContext,
  options: SMTPServerOptions = {},
): Promise<SubscriberFixture> {
  const { db, pool, release } = await takeReusableDatabase();
  const { log } = captureLog();
  const clock = new TestClock();
  const mail = await startMailReceiver(t, options);
  const http = await startHttpReceiver(t);
  const mailer = createMailer({ url: mail.url, from: "vedette@example.com" });
  const subscriberOutbound = createTestOutbound(http);
  const context: SubscribersContext = {
    db,
    clock,
    log,
    encryption: new Encryption(randomBytes(32)),
    publicUrl: () => "https://vedette.example",
    isSecure: () => true,
    allowPrivate: false,
    sendTools: { outbound: subscriberOutbound, mailer },
    domainProof: {
      isRequired: false,
      lookUp: async () => ({ texts: [], targets: [] }),
      verificationLimit: new RateLimit({ limit: 20, windowMs: 60_000, clock }),
    },
    pageKeyLimit: new RateLimit({ limit: 10, windowMs: 60_000, clock }),
    subscriberOutbound,
    subscriberMetrics: createSubscriberMetrics(new Registry()),
    signUpLimits: createSignUpLimits({ clock }),
  };
  const addAccount = async () => {
    const id = randomUUIDv7();
    await insertAccount(db, { id, name: "Ours", createdAt: clock.now(), updatedAt: null });
    return id;
  };
  const accountId = await addAccount();
  // Retries have no jitter, so that the time of the next attempt is known.
  const deliverer = createSubscriberDeliverer(context, () => 0.5);
  t.after(async () => {
    await deliverer.settle();
    mailer.close();
    await release();
  });
  return {
    context,
    accountId,
    clock,
    mail,
    http,
    deliverer,
    addAccount,
    ...createHands(context, accountId),
    announce: (serviceIds, more) =>
      announce(db, accountId, makeAnnouncement(serviceIds, clock.now(), more)),
    fanOut: () => addressAnnouncements(context),
    deliver: async () => {
      await addressAnnouncements(context);
      while ((await deliverer.deliverDue()) > 0) await deliverer.settle();
    },
    query: async (text, ...values) => (await pool.query(text, [...values])).rows,
  };
}
