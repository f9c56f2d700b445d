import { randomUUID } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { defaultType, kinds } from "../../kinds/index.ts";
import type { SendOutcome } from "../../platform/deliverer.ts";
import { KnownError, notFound } from "../../platform/errors.ts";
import type { Outbound, OutboundResult } from "../../platform/outbound.ts";
import { clipText } from "../../platform/text/clip.ts";
import {
  assertExists,
  assertSound,
  type ChannelsContext,
  type ChannelTestContext,
  getChannel,
  sendThrough,
  unseal,
} from "./actions.ts";
import {
  type AlertChannel,
  type ChannelInput,
  decideLanPermission,
  keepMaskedSecrets,
} from "./alert-channel.ts";
import type { AlertMessage } from "./alert-text.ts";
import { listSecrets, mask } from "./config-secrets.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";
import { findChannel } from "./store.ts";

export const maxExcerptLength = 2_000;
/**
 * Minimum length of a secret that is masked in a response body. Masking shorter values would make
 * the text unreadable.
 */
const minSecretLength = 4;

/** Result of a test message and the response of the recipient. */
export interface ChannelTest {
  readonly outcome: SendOutcome;
  /**
   * Start of the response body without the channel's secrets; `null` if there was no response or
   * its body was empty.
   */
  readonly responseBody: string | null;
  readonly durationMs: number;
}

type Tested = Pick<AlertChannel, "type" | "config" | "problem" | "lanAllowedBy"> & {
  readonly accountId: string;
};

export function createTestMessage(now: Date): AlertMessage {
  const checkId = "00000000-0000-0000-0000-000000000000";
  return {
    idempotencyKey: randomUUID(),
    kind: "ALERT_TEST",
    title: "Vedette: test message",
    reason: "This is a test of the channel. No check is failing.",
    checkId,
    checkName: "Test",
    checkType: defaultType,
    target: "test.example",
    groupName: null,
    tags: [],
    resultId: null,
    resultUrl: null,
    location: null,
    responseTimeMs: null,
    facts: kinds[defaultType].listFacts(null),
    startedAt: now.toISOString(),
    isReminder: false,
    reminderSequence: 0,
    acknowledgeUrl: null,
  };
}

/**
 * Wraps the HTTP client to remember the last response. A channel kind returns only an outcome,
 * which does not contain the response body.
 */
function listenTo(outbound: Outbound): Outbound & { last: () => OutboundResult | null } {
  let last: OutboundResult | null = null;
  return {
    request: async (request) => {
      last = await outbound.request(request);
      return last;
    },
    last: () => last,
  };
}

async function sendTest(context: ChannelsContext, channel: Tested): Promise<ChannelTest> {
  const { sendTools } = context;
  const outbound = listenTo(sendTools.outbound);
  const message = createTestMessage(context.clock.now());
  const startMs = performance.now();
  const heard = { ...context, sendTools: { ...sendTools, outbound } };
  const outcome = await sendThrough(heard, channel, message);
  const durationMs = Math.round(performance.now() - startMs);
  const answer = outbound.last();
  if (answer?.kind !== "answered") return { outcome, responseBody: null, durationMs };
  const kind = channelKinds[channel.type as ChannelType];
  const secrets = [...listSecrets(kind, channel.config), sendTools.smsGateway?.token ?? ""];
  return { outcome, responseBody: excerptAnswer(answer.bodyText, secrets), durationMs };
}

async function noteTest(
  context: ChannelsContext,
  caller: Caller,
  { outcome, targetId, type }: { outcome: SendOutcome; targetId: string; type: string },
): Promise<void> {
  const changes = { type, outcome: outcome.kind, statusCode: outcome.statusCode };
  const at = context.clock.now();
  await writeAuditEntry(context.db, caller, {
    action: "alert-channel.tested",
    targetId,
    changes,
    at,
  });
}

function assertTestAllowed({ testLimit }: ChannelTestContext, { accountId }: Caller): void {
  const { allowed, resetSeconds } = testLimit.take(accountId);
  if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
}

/** Sends a test message through a saved channel immediately and without retries. */
export async function testChannel(
  context: ChannelTestContext,
  caller: Caller,
  id: number,
): Promise<ChannelTest> {
  const channel = await getChannel(context, caller, id);
  assertTestAllowed(context, caller);
  const test = await sendTest(context, { ...channel, accountId: caller.accountId });
  const { outcome } = test;
  await noteTest(context, caller, { outcome, targetId: String(id), type: channel.type });
  return test;
}

/**
 * Sends a test message with unsaved settings, which are validated like saved settings. If the id of
 * a channel is given, masks in the settings are replaced with the secrets of that channel.
 */
export async function testUnsavedChannel(
  context: ChannelTestContext,
  caller: Caller,
  request: { readonly id: number | null; readonly input: ChannelInput },
): Promise<ChannelTest> {
  const { id } = request;
  const stored = id === null ? null : await findChannel(context.db, caller.accountId, id);
  if (id !== null && stored === null) throw notFound();
  const before = stored === null ? null : unseal(context, stored);
  const input = before === null ? request.input : keepMaskedSecrets(before, request.input);
  const lanAllowedBy = decideLanPermission(caller, input, before);
  assertSound(context, input, lanAllowedBy);
  await assertExists(context, caller.accountId, input);
  assertTestAllowed(context, caller);
  const test = await sendTest(context, { ...input, lanAllowedBy, accountId: caller.accountId });
  const targetId = id === null ? "unsaved" : String(id);
  await noteTest(context, caller, { outcome: test.outcome, targetId, type: input.type });
  return test;
}

/**
 * Lists the forms in which a response may echo a secret: unchanged, JSON-escaped or URL-encoded. If
 * the secret is a URL, the forms of its path and query are included.
 */
function listForms(secret: string): string[] {
  const url = /^https?:\/\//i.test(secret) ? URL.parse(secret) : null;
  const parts = url === null ? [secret] : [secret, url.href, `${url.pathname}${url.search}`];
  return parts.flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part),
    encodeURI(part),
  ]);
}

/**
 * Returns the start of a response body with masked secrets. A response may echo the request, and
 * the person who tests the channel may not be allowed to see its secrets.
 */
export function excerptAnswer(bodyText: string, secrets: readonly string[]): string | null {
  const forms = new Set(secrets.map((secret) => secret.toWellFormed()).flatMap(listForms));
  const longestFirst = [...forms]
    .filter((form) => form.length >= minSecretLength)
    .sort((one, other) => other.length - one.length);
  const scrubbed = longestFirst.reduce((text, form) => text.replaceAll(form, mask), bodyText);
  // Control characters could affect a terminal. Remove all of them except newlines and tabs.
  const text = scrubbed.toWellFormed().replaceAll(/[^\P{Cc}\n\t]/gu, "");
  return text.trim() === "" ? null : clipText(text, maxExcerptLength);
}
