import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import { Registry } from "prom-client";
import type { ChannelsContext } from "../../../src/channels/alert-channels/actions.ts";
import { sealConfig } from "../../../src/channels/alert-channels/config-secrets.ts";
import {
  type ChannelType,
  channelKinds,
} from "../../../src/channels/alert-channels/kinds/index.ts";
import type { QuietHours } from "../../../src/channels/alert-channels/quiet-hours.ts";
import { insertChannel, saveSubscription } from "../../../src/channels/alert-channels/store.ts";
import type { Outcome } from "../../../src/contract/result.ts";
import { Encryption } from "../../../src/platform/encryption.ts";
import { createMailer } from "../../../src/platform/mail.ts";
import { createOutbound, type Outbound } from "../../../src/platform/outbound.ts";
import {
  createAlertMetrics,
  type DeciderContext,
  type DelivererContext,
} from "../../../src/response/alerting/context.ts";
import { decideOnRuns, decideOnTicks } from "../../../src/response/alerting/decider.ts";
import {
  type AlertDeliverer,
  createAlertDeliverer,
  createPageExpander,
} from "../../../src/response/alerting/deliverer.ts";
import {
  type AccountAlertSettings,
  defaultAccountAlertSettings,
  saveSettings,
} from "../../../src/response/alerting/settings/settings-store.ts";
import { recordResults } from "../../../src/runs/recording/recorder.ts";
import type { Watched } from "../../../src/runs/scheduling/watch-list.ts";
import { type HttpReceiver, startHttpReceiver } from "../servers/http-receiver.ts";
import { type MailReceiver, startMailReceiver } from "../servers/mail-receiver.ts";
import { noDevices } from "./alert-message.ts";
import {
  createRunsFixture,
  makeResult,
  measure,
  type RunsContext,
  type RunsFixture,
} from "./runs.ts";

/** Context of all modules in one object, as in the app. */
export type AlertingContext = RunsContext & ChannelsContext & DeciderContext & DelivererContext;

export interface AlertRow {
  readonly id: string;
  readonly kind: string;
  readonly held_kind: string | null;
  readonly reason: string;
  readonly parent_id: string | null;
  readonly alert_number: number;
}

export interface DeliveryRow {
  readonly id: string;
  readonly alert_channel_id: number | null;
  readonly kind: string;
  readonly status: string;
  readonly attempts: number;
  readonly status_code: number | null;
  readonly reason: string | null;
  readonly next_attempt_at: Date;
}

export interface ChannelExtras {
  readonly sendRecovery?: boolean;
  readonly sendFailure?: boolean;
  readonly sendDegraded?: boolean;
  readonly sslExpiry?: boolean;
  readonly sslExpiryThreshold?: number;
  readonly digest?: boolean;
  readonly quietHours?: QuietHours | null;
}

export interface AlertingFixture extends Omit<RunsFixture, "context"> {
  readonly context: AlertingContext;
  readonly http: HttpReceiver;
  readonly mail: MailReceiver;
  readonly deliverer: AlertDeliverer;
  readonly expander: AlertDeliverer;
  readonly addChannel: (
    type: ChannelType,
    config: Readonly<Record<string, unknown>>,
    extras?: ChannelExtras,
  ) => Promise<number>;
  /** Adds a webhook channel that sends to a path of the receiver, and returns its id. */
  readonly addWebhook: (path?: string, extras?: ChannelExtras) => Promise<number>;
  readonly subscribe: (
    alertChannelId: number,
    to: { readonly checkId?: string; readonly groupId?: number },
  ) => Promise<void>;
  readonly setSettings: (settings: Partial<AccountAlertSettings>) => Promise<void>;
  /** Records a run that is due now, and makes the resulting alert decision. */
  readonly run: (watched: Watched, outcome: Outcome) => Promise<void>;
  /** Advances the clock, and makes all alert decisions that are due. */
  readonly pass: (minutes: number) => Promise<void>;
  readonly deliver: () => Promise<void>;
  readonly listAlerts: (checkId: string) => Promise<AlertRow[]>;
  readonly listDeliveries: () => Promise<DeliveryRow[]>;
  /**
   * Returns the alert types of the messages that the receiver got at a path, in order of arrival.
   */
  readonly listReceived: (path?: string) => string[];
}

export const passing = measure(0);
export const degraded = measure(1);
export const failing = measure(10);
const minuteMs = 60_000;

function createContext(runs: RunsFixture, mail: MailReceiver, outbound: Outbound) {
  const mailer = createMailer({ url: mail.url, from: "vedette@example.com" });
  const context: AlertingContext = {
    ...runs.context,
    encryption: new Encryption(randomBytes(32)),
    addressRules: { allowPrivate: true },
    sendTools: { outbound, mailer, smsGateway: null, push: noDevices },
    alertMetrics: createAlertMetrics(new Registry()),
    publicUrl: () => "https://vedette.example",
  };
  return { context, mailer };
}

function createChannelHands(context: AlertingContext, accountId: string, http: HttpReceiver) {
  const { db, clock, encryption } = context;
  const addChannel: AlertingFixture["addChannel"] = (type, config, extras = {}) =>
    insertChannel(db, accountId, {
      type,
      config: sealConfig(channelKinds[type], config, encryption),
      sendRecovery: true,
      sendFailure: true,
      sendDegraded: true,
      sslExpiry: false,
      sslExpiryThreshold: 30,
      autoSubscribe: false,
      digest: false,
      quietHours: null,
      createdAt: clock.now(),
      ...extras,
    });
  return {
    addChannel,
    addWebhook: (path = "/hook", extras: ChannelExtras = {}) =>
      addChannel("WEBHOOK", { name: "Hook", url: `${http.url}${path}` }, extras),
    subscribe: async (alertChannelId: number, to: { checkId?: string; groupId?: number }) => {
      const { checkId = null, groupId = null } = to;
      await saveSubscription(db, accountId, { alertChannelId, checkId, groupId, activated: true });
    },
    setSettings: (input: Partial<AccountAlertSettings>) => {
      const settings = { ...defaultAccountAlertSettings, ...input };
      return saveSettings(db, accountId, { settings, at: clock.now() });
    },
  };
}

function createEyes({ query }: RunsFixture, http: HttpReceiver) {
  return {
    listAlerts: async (checkId: string) =>
      (await query(
        `select id, kind, held_kind, reason, parent_id, alert_number from alerts
          where check_id = $1 order by id`,
        checkId,
      )) as unknown as AlertRow[],
    listDeliveries: async () =>
      (await query(
        `select id, alert_channel_id, message ->> 'kind' as kind, status, attempts, status_code,
          reason, next_attempt_at from deliveries order by id`,
      )) as unknown as DeliveryRow[],
    listReceived: (path = "/hook") =>
      http.requests
        .filter((request) => request.path === path)
        .map(({ body }) => (JSON.parse(body) as { alertType: string }).alertType),
  };
}

/** Expands pages and sends messages until none is due. */
export async function deliverAll(deliverers: readonly AlertDeliverer[]): Promise<void> {
  for (let begun = 1; begun > 0; ) {
    begun = 0;
    for (const one of deliverers) {
      begun += await one.deliverDue();
      await one.settle();
    }
  }
}

/**
 * Creates the modules that run checks, and alerting with real receivers. No background loop runs.
 */
export async function createAlertingFixture(
  t: TestContext,
  outbound: Outbound = createOutbound({ allowPrivate: true }),
): Promise<AlertingFixture> {
  const http = await startHttpReceiver(t);
  const mail = await startMailReceiver(t);
  const runs = await createRunsFixture();
  const { context, mailer } = createContext(runs, mail, outbound);
  // The watch list must not cache, because the fixture receives no change notifications.
  runs.news.isOn = false;
  // Retries have no jitter, so that the time of the next attempt is known.
  const deliverer = createAlertDeliverer(context, () => 0.5);
  const expander = createPageExpander(context, () => 0.5);
  t.after(async () => {
    await Promise.all([expander.settle(), deliverer.settle()]);
    mailer.close();
    await runs.stop();
  });
  return {
    ...runs,
    context,
    http,
    mail,
    deliverer,
    expander,
    ...createChannelHands(context, runs.accountId, http),
    ...createEyes(runs, http),
    run: async (watched, outcome) => {
      const dueAtMs = runs.clock.now().getTime();
      await recordResults(context, [makeResult(watched, { dueAtMs, outcome })]);
      await decideOnRuns(context);
    },
    pass: async (minutes) => {
      runs.clock.advance(minutes * minuteMs);
      await decideOnTicks(context);
    },
    deliver: () => deliverAll([expander, deliverer]),
  };
}
