import type { Kind } from "../../kinds/kit/kind.ts";
import { type ChangeText, secretMask } from "../../kinds/kit/secrets.ts";
import type { VerdictSettings } from "../../kinds/kit/verdict.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { VariableInput } from "../variables/index.ts";
import {
  type AlertSettings,
  defaultAlertSettings,
  type RetrySettings,
  type TriggerIncident,
  tidyTrigger,
} from "./alert-settings.ts";

/** Allowed minutes between runs. 0 means more than one run per minute, see `subMinuteSeconds`. */
export const frequencies = [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const;

/** Allowed seconds between runs for the frequency 0. */
export const subMinuteSeconds: readonly number[] = [10, 20, 30];

export interface ChannelSubscription {
  readonly alertChannelId: number;
  readonly activated: boolean;
}

/** Settings that all kinds share, plus settings of the kind, which only the kind's code reads. */
export interface CheckSettings extends VerdictSettings {
  readonly name: string;
  /** What the check is for, in Markdown. Absent if it has none. */
  readonly description?: string;
  readonly activated: boolean;
  readonly muted: boolean;
  readonly doubleCheck: boolean;
  /** Public locations of the check. `null` means the default location of the server. */
  readonly locations: readonly string[] | null;
  readonly tags: readonly string[];
  readonly alertSettings: AlertSettings;
  readonly useGlobalAlertSettings: boolean;
  readonly groupId: number | null;
  readonly groupOrder: number | null;
  readonly runtimeId: string | null;
  readonly alertChannelSubscriptions: readonly ChannelSubscription[];
  readonly retryStrategy: RetrySettings | null;
  readonly triggerIncident: TriggerIncident | null;
  readonly runParallel: boolean;
  readonly frequency: number;
  readonly frequencyOffset: number | null;
  /** Slugs of the private locations that run the check. */
  readonly privateLocations: readonly string[];
}

/** Fields that a request sets. Omitted fields get their default or keep their stored value. */
export interface CheckInput
  extends Partial<Omit<CheckSettings, "privateLocations" | "description">> {
  readonly description?: string | null;
  readonly privateLocations?: string | readonly string[] | null;
  readonly environmentVariables?: readonly VariableInput[] | null;
  /** Fields of the kind, validated by the schema of the kind. */
  readonly [own: string]: unknown;
}

const defaults: Omit<CheckSettings, "degradedResponseTime" | "maxResponseTime"> = {
  name: "",
  activated: true,
  muted: false,
  doubleCheck: true,
  shouldFail: false,
  locations: null,
  tags: [],
  alertSettings: defaultAlertSettings,
  useGlobalAlertSettings: true,
  groupId: null,
  groupOrder: null,
  runtimeId: null,
  alertChannelSubscriptions: [],
  retryStrategy: null,
  triggerIncident: null,
  runParallel: false,
  frequency: 10,
  frequencyOffset: null,
  privateLocations: [],
};

function given<Value>(value: Value | undefined, before: Value): Value {
  return value === undefined ? before : value;
}

/** Merges an input into settings. Removes a stored offset that does not fit the new frequency. */
export function mergeCheckSettings(
  kind: Pick<Kind, "mergeSettings" | "responseTimeLimits" | "isOrdered">,
  before: CheckSettings | null,
  input: CheckInput,
): CheckSettings {
  const { degradedMs, failingMs } = kind.responseTimeLimits;
  const limits = { degradedResponseTime: degradedMs, maxResponseTime: failingMs };
  const stored = before ?? { ...defaults, ...limits };
  const frequency = input.frequency ?? stored.frequency;
  const stillFits = findOffsetFault(frequency, stored.frequencyOffset) === null;
  const places = input.privateLocations;
  const description = given(input.description, stored.description ?? null);
  const merged: CheckSettings = {
    name: input.name ?? stored.name,
    ...(description && { description }),
    activated: input.activated ?? stored.activated,
    muted: input.muted ?? stored.muted,
    doubleCheck: input.doubleCheck ?? stored.doubleCheck,
    shouldFail: input.shouldFail ?? stored.shouldFail,
    locations: given(input.locations, stored.locations),
    tags: input.tags ?? stored.tags,
    alertSettings: input.alertSettings ?? stored.alertSettings,
    useGlobalAlertSettings: input.useGlobalAlertSettings ?? stored.useGlobalAlertSettings,
    groupId: given(input.groupId, stored.groupId),
    groupOrder: given(input.groupOrder, stored.groupOrder),
    runtimeId: given(input.runtimeId, stored.runtimeId),
    alertChannelSubscriptions: input.alertChannelSubscriptions ?? stored.alertChannelSubscriptions,
    retryStrategy: given(input.retryStrategy, stored.retryStrategy),
    triggerIncident: given(
      input.triggerIncident && tidyTrigger(input.triggerIncident),
      stored.triggerIncident,
    ),
    runParallel: input.runParallel ?? stored.runParallel,
    frequency,
    frequencyOffset: input.frequencyOffset ?? (stillFits ? stored.frequencyOffset : null),
    privateLocations:
      places === undefined ? stored.privateLocations : places === null ? [] : [places].flat(),
    degradedResponseTime: given(input.degradedResponseTime, stored.degradedResponseTime),
    maxResponseTime: given(input.maxResponseTime, stored.maxResponseTime),
    ...kind.mergeSettings(before, input),
  };
  return kind.isOrdered ? merged : withoutSchedule(merged);
}

/** Resets the settings of scheduled runs for a check that is not scheduled, such as a heartbeat. */
export function withoutSchedule(settings: CheckSettings): CheckSettings {
  const { locations, privateLocations, runParallel, retryStrategy, shouldFail } = defaults;
  const { frequency, frequencyOffset } = defaults;
  return {
    ...settings,
    ...{ locations, privateLocations, runParallel, retryStrategy, shouldFail },
    ...{ frequency, frequencyOffset },
  };
}

/** Returns the rule that the frequency offset violates; `null` if the offset is valid. */
export function findOffsetFault(frequency: number, offset: number | null): string | null {
  if (frequency === 0) {
    const isValid = offset !== null && subMinuteSeconds.includes(offset);
    return isValid ? null : "must be 10, 20 or 30 (seconds between runs) when frequency is 0";
  }
  if (offset === null) return null;
  const most = frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60);
  const fits = Number.isInteger(offset) && offset >= 1 && offset <= most;
  return fits ? null : `must be from 1 to ${most} when frequency is ${frequency}`;
}

/**
 * Functions for secrets in the settings of a kind. Secrets are encrypted in the database and masked
 * in responses.
 */

const unlessEmpty =
  (change: ChangeText): ChangeText =>
  (text) =>
    text === "" ? "" : change(text);

export const maskSecret: ChangeText = unlessEmpty(() => secretMask);

export function createSeal(encryption: Encryption): ChangeText {
  return unlessEmpty((secret) => encryption.encrypt(secret));
}

/**
 * Creates a function that decrypts secrets. A secret encrypted with a different key becomes the
 * mask, so that users must enter the secret again.
 */
export function createOpener(encryption: Encryption): ChangeText {
  return unlessEmpty((sealed) => encryption.tryDecrypt(sealed) ?? secretMask);
}

export function mapSecrets(
  { secrets }: Pick<Kind, "secrets">,
  settings: CheckSettings,
  change: ChangeText,
): CheckSettings {
  // `mapSettings` returns the given settings with only the kind's own fields changed.
  return secrets === undefined
    ? settings
    : (secrets.mapSettings(settings, change) as CheckSettings);
}

/** Returns the display name of the check's target, with secrets masked. */
export function targetOf(kind: Pick<Kind, "secrets" | "target">, settings: CheckSettings): string {
  return kind.target(mapSecrets(kind, settings, maskSecret));
}
