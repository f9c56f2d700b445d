import type { Role } from "../../../access/accounts/index.ts";
import { findHoursEndMs, type WeekHours } from "../../../platform/week-hours.ts";
import type { AlertKind } from "../alert-text.ts";
import { decideTone } from "../alert-text.ts";
import type { ChannelConfig } from "../config-secrets.ts";
import type { ChannelType } from "../kinds/index.ts";
import { findQuietFault } from "../quiet-hours.ts";

/** Channel types that can be used as a contact method of one person. */
export const contactTypes = [
  "EMAIL",
  "SMS",
  "NTFY",
  "PUSHOVER",
  "TELEGRAM",
  "GOTIFY",
  "MATRIX",
  "SIGNAL",
  "APPRISE",
  "WEBHOOK",
] as const satisfies readonly ChannelType[];
export type ContactType = (typeof contactTypes)[number];

/** Ids of the contact methods that every member has: push devices and the user's email address. */
export const builtInIds = ["push", "email"] as const;
export const isBuiltIn = (id: string) => (builtInIds as readonly string[]).includes(id);

export const maxMethods = 10;
export const maxSteps = 10;
export const maxWrongCodes = 5;
export const codeLifetimeMs = 30 * 60_000;

/** A member of an account. Contact methods belong to the membership, not to the user. */
export interface ContactOwner {
  readonly accountId: string;
  readonly userId: string;
}

/** A contact method as stored, with encrypted secrets. */
export interface StoredMethod {
  readonly id: string;
  readonly type: ContactType;
  readonly config: ChannelConfig;
  /** Role that allows a destination on a private network, as of an alert channel. */
  readonly lanAllowedBy: Role | null;
  readonly verifiedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  readonly version: number;
}

/** A destination at which a member can be reached, such as an email address or a phone number. */
export interface ContactMethod {
  /** Id of the contact method; `email` or `push` for a built-in method. */
  readonly id: string;
  readonly type: ContactType | "WEBPUSH";
  /** Configuration of the channel type, with decrypted secrets. */
  readonly config: ChannelConfig;
  readonly lanAllowedBy: Role | null;
  readonly isVerified: boolean;
  /** Why the contact method cannot be used; `null` if it can be used. */
  readonly problem: string | null;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
  readonly version: number;
}

export type Urgency = "HIGH" | "LOW";

export interface NotificationStep {
  readonly methodId: string;
  /** Minutes between the start of the page and this step. */
  readonly afterMinutes: number;
}

/** Hours in which pages of low urgency wait until the quiet hours end. */
export interface MemberQuietHours extends WeekHours {
  /** Whether pages of high urgency wait too. */
  readonly holdsHigh: boolean;
}

export interface NotificationRules {
  readonly high: readonly NotificationStep[];
  readonly low: readonly NotificationStep[];
  /** Quiet hours of the member; `null` or missing if pages never wait. */
  readonly quietHours?: MemberQuietHours | null;
}

const atOnce = builtInIds.map((methodId) => ({ methodId, afterMinutes: 0 }));
const textMessageMinutes = 5;

/**
 * Returns the notification rules of a member without stored rules. The built-in and all verified
 * methods are used immediately, except text messages, which follow after five minutes.
 */
export function createDefaultRules(
  methods: readonly Pick<ContactMethod, "id" | "type" | "isVerified">[],
): NotificationRules {
  const own = methods
    .filter(({ id, isVerified }) => isVerified && !isBuiltIn(id))
    .map(({ id, type }) => {
      return { methodId: id, afterMinutes: type === "SMS" ? textMessageMinutes : 0 };
    });
  const steps = [...atOnce, ...own].slice(0, maxSteps);
  return { high: steps, low: steps };
}

/** Returns the urgency of an alert: high for failures and missing data, low for all others. */
export function decideUrgency(kind: AlertKind): Urgency {
  return decideTone(kind) === "failing" ? "HIGH" : "LOW";
}

/** Removes steps with unknown contact methods. If no step is left, uses the built-in methods. */
export function keepKnownSteps(
  rules: NotificationRules,
  known: ReadonlySet<string>,
): NotificationRules {
  const keep = (steps: readonly NotificationStep[]) => {
    const kept = steps.filter(({ methodId }) => known.has(methodId));
    return kept.length === 0 ? atOnce : kept;
  };
  return { ...rules, high: keep(rules.high), low: keep(rules.low) };
}

/** Returns the first invalid field of notification rules; `null` if all fields are valid. */
export function findRulesFault(
  rules: NotificationRules,
  methods: ReadonlyMap<string, Pick<ContactMethod, "isVerified">>,
): { readonly key: string; readonly rule: string } | null {
  for (const urgency of ["high", "low"] as const) {
    const seen = new Set<string>();
    for (const [index, { methodId, afterMinutes }] of rules[urgency].entries()) {
      const method = methods.get(methodId);
      const key = `${urgency}.${index}.methodId`;
      if (method === undefined)
        return { key, rule: "is not one of your contact methods; choose another or add it first" };
      if (!method.isVerified) return { key, rule: "is not verified; send a test and confirm it" };
      const step = `${methodId} ${afterMinutes}`;
      if (seen.has(step)) return { key, rule: "repeats an earlier step; remove one of them" };
      seen.add(step);
    }
  }
  const fault = rules.quietHours ? findQuietFault(rules.quietHours) : null;
  return fault && { key: `quietHours.${fault.key}`, rule: fault.rule };
}

const minuteMs = 60_000;

/**
 * Postpones each notification step that falls into the quiet hours of the member until the quiet
 * hours end. Delays are rounded up to whole minutes. Steps of pages with high urgency are postponed
 * only if `holdsHigh` is true.
 */
export function delaySteps<Step extends { readonly afterMinutes: number }>(
  steps: readonly Step[],
  { quietHours }: Pick<NotificationRules, "quietHours">,
  page: { readonly urgency: Urgency; readonly atMs: number },
): Step[] {
  const isPiercing = page.urgency === "HIGH" && !quietHours?.holdsHigh;
  if (!quietHours || isPiercing) return [...steps];
  return steps
    .map((step) => {
      const dueMs = page.atMs + step.afterMinutes * minuteMs;
      const endMs = findHoursEndMs(quietHours, dueMs);
      if (endMs === null) return step;
      return { ...step, afterMinutes: Math.ceil((endMs - page.atMs) / minuteMs) };
    })
    .toSorted((one, other) => one.afterMinutes - other.afterMinutes);
}

type ReachableMethod = Pick<ContactMethod, "id" | "isVerified" | "problem">;

/**
 * Returns the notification steps that can reach a member, earliest first. If none of the steps has
 * a working contact method, all working methods are used immediately, so that the page does not
 * fail because of the rules.
 */
export function planSteps<Method extends ReachableMethod>(
  steps: readonly NotificationStep[],
  methods: readonly Method[],
): { readonly method: Method; readonly afterMinutes: number }[] {
  const working = methods.filter(({ isVerified, problem }) => isVerified && problem === null);
  const planned = steps
    .flatMap(({ methodId, afterMinutes }) => {
      const method = working.find(({ id }) => id === methodId);
      return method === undefined ? [] : [{ method, afterMinutes }];
    })
    .toSorted((one, other) => one.afterMinutes - other.afterMinutes);
  return planned.length > 0 ? planned : working.map((method) => ({ method, afterMinutes: 0 }));
}

/** Verification code of the newest test message to a contact method. */
export interface PendingCode {
  readonly code: string | null;
  readonly expiresAt: Date | null;
  readonly wrongCodes: number;
}

export type CodeDecision = "right" | "wrong" | "none-pending" | "too-many";

export function decideCode(pending: PendingCode, given: string, now: Date): CodeDecision {
  const { code, expiresAt, wrongCodes } = pending;
  if (code === null || expiresAt === null || expiresAt <= now) return "none-pending";
  if (wrongCodes >= maxWrongCodes) return "too-many";
  return code === given.replaceAll(/\s/g, "") ? "right" : "wrong";
}
