import { type Caller, isAllowed, type Role } from "../../access/accounts/index.ts";
import { invalid } from "../../platform/errors.ts";
import { findSchemaFault } from "../../platform/http/validation.ts";
import {
  type AddressRules,
  findUrlFault,
  rejectionMessages,
} from "../../platform/outbound-guard.ts";
import { findBrokenRule } from "../../platform/text/template.ts";
import {
  type ChannelConfig,
  destinationFields,
  findMaskedSecret,
  restoreMasked,
} from "./config-secrets.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";
import { findQuietFault, type QuietHours } from "./quiet-hours.ts";

const retypeRules = {
  "sent-elsewhere": "must be entered again when the address changes",
  unlocked: "must be entered again when it is unlocked",
} as const;

/** A destination of alerts. The fields of `config` depend on the type of the channel. */
export interface AlertChannel {
  readonly id: number;
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly sendRecovery: boolean;
  readonly sendFailure: boolean;
  readonly sendDegraded: boolean;
  /** Whether certificates that expire in `sslExpiryThreshold` days cause alerts to this channel. */
  readonly sslExpiry: boolean;
  readonly sslExpiryThreshold: number;
  readonly autoSubscribe: boolean;
  /** Whether many messages within one minute are combined into a digest. */
  readonly digest: boolean;
  /** Hours in which alerts are held or sent to another channel; `null` if there are none. */
  readonly quietHours: QuietHours | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** Version number that every change increments, used as the ETag. */
  readonly version: number;
  /**
   * Role of the owner or admin who entered the destination, which may therefore be on a private
   * network; otherwise `null`.
   */
  readonly lanAllowedBy?: Role | null;
  /** Why the channel cannot send, as a sentence; `null` or missing if the channel can send. */
  readonly problem?: string | null;
}

/** A subscription of a check or a group to a channel. */
export interface Subscription {
  readonly id: number;
  readonly alertChannelId: number;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly activated: boolean;
}

/** Channel settings in a request. `config` has not been validated yet. */
export interface ChannelInput {
  readonly type: ChannelType;
  readonly config: ChannelConfig;
  readonly sendRecovery: boolean;
  readonly sendFailure: boolean;
  readonly sendDegraded: boolean;
  readonly sslExpiry: boolean;
  readonly sslExpiryThreshold: number;
  readonly autoSubscribe: boolean;
  readonly digest: boolean;
  /**
   * New quiet hours. If the field is missing, the stored quiet hours are kept, because some clients
   * do not know the field.
   */
  readonly quietHours?: QuietHours | null;
}

/**
 * Returns the role that is stored with a destination, see `lanAllowedBy`. The permission belongs to
 * the destination: other members keep it only if they do not change the destination.
 */
export function decideLanPermission(
  { role }: Pick<Caller, "role">,
  input: Pick<ChannelInput, "type" | "config">,
  stored: Pick<AlertChannel, "type" | "config" | "lanAllowedBy"> | null,
): Role | null {
  if (destinationFields.every((field) => !input.config[field])) return null;
  const isSame =
    stored?.type === input.type &&
    destinationFields.every((field) => stored.config[field] === input.config[field]);
  if (isSame) return stored.lanAllowedBy ?? null;
  return isAllowed("admin", role, false) ? role : null;
}

/**
 * Returns the first invalid field of the quiet hours or the configuration, including URLs and
 * template; `null` if all fields are valid.
 */
export function findConfigFault(
  input: Pick<ChannelInput, "type" | "config" | "quietHours">,
  rules: AddressRules,
): { readonly key: string; readonly rule: string } | null {
  const quiet = input.quietHours ? findQuietFault(input.quietHours) : null;
  if (quiet !== null) return { key: `quietHours.${quiet.key}`, rule: quiet.rule };
  const fault = findSchemaFault(channelKinds[input.type].ConfigSchema, input.config);
  if (fault !== null) {
    return { key: fault.key === "body" ? "config" : `config.${fault.key}`, rule: fault.rule };
  }
  const broken = channelKinds[input.type].findFault?.(input.config) ?? null;
  if (broken !== null) return { key: `config.${broken.key}`, rule: broken.rule };
  for (const field of destinationFields) {
    const url = input.config[field];
    const urlFault = typeof url === "string" ? findUrlFault(url, rules) : null;
    if (urlFault === null) continue;
    return { key: `config.${field}`, rule: `is refused: ${rejectionMessages[urlFault]}` };
  }
  const { template } = input.config;
  const rule = typeof template === "string" ? findBrokenRule(template) : null;
  return rule === null ? null : { key: "config.template", rule };
}

/**
 * Replaces masks in a request with the stored secrets. Clients receive masked secrets and send them
 * back when they save a channel.
 */
export function keepMaskedSecrets<Input extends Pick<ChannelInput, "type" | "config">>(
  before: Pick<AlertChannel, "type" | "config" | "problem">,
  input: Input,
): Input {
  if (before.type !== input.type) return input;
  const restored = restoreMasked(channelKinds[input.type], input.config, before.config);
  if (restored.kind === "restored") {
    const unread = before.problem ? findMaskedSecret(channelKinds[input.type], input.config) : null;
    if (unread !== null) {
      throw invalid(
        `config.${unread}`,
        "must be entered again because the stored value cannot be decrypted",
      );
    }
    return { ...input, config: restored.config };
  }
  throw invalid(`config.${restored.field}`, retypeRules[restored.kind]);
}
