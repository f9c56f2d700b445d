import { invalid } from "../../platform/errors.ts";
import { findSchemaFault } from "../../platform/http/validation.ts";
import { findUrlFault, refusalMessages } from "../../platform/outbound-guard.ts";
import type { AlertChannel } from "./alert-channel.ts";
import { type ChannelConfig, findMaskedSecret, restoreMasked } from "./config-secrets.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";
import { findTemplateFault, templateFaultRules } from "./template.ts";

/** A channel as somebody asks for it, its configuration not yet held against its kind. */
export interface ChannelWish {
  readonly type: ChannelType;
  readonly config: ChannelConfig;
  readonly sendRecovery: boolean;
  readonly sendFailure: boolean;
  readonly sendDegraded: boolean;
  readonly autoSubscribe: boolean;
}

/** Each kind says what its configuration is; addresses and templates have rules of their own. */
export function findConfigFault(
  wish: ChannelWish,
  allowPrivate: boolean,
): { readonly key: string; readonly rule: string } | null {
  const fault = findSchemaFault(channelKinds[wish.type].ConfigSchema, wish.config);
  if (fault !== null) {
    return { key: fault.key === "body" ? "config" : `config.${fault.key}`, rule: fault.rule };
  }
  for (const field of ["url", "baseUrl"]) {
    const url = wish.config[field];
    const urlFault = typeof url === "string" ? findUrlFault(url, allowPrivate) : null;
    if (urlFault === null) continue;
    return { key: `config.${field}`, rule: `is refused: ${refusalMessages[urlFault]}` };
  }
  const { template } = wish.config;
  const templateFault = typeof template === "string" ? findTemplateFault(template) : null;
  if (templateFault === null) return null;
  return { key: "config.template", rule: templateFaultRules[templateFault] };
}

const retypeRules = {
  "sent-elsewhere": "must be typed again when the address changes",
  unlocked: "must be typed again when it is unlocked",
} as const;

/** Masks that come back stand for the secrets that are stored. */
export function keepMaskedSecrets(before: AlertChannel, wish: ChannelWish): ChannelWish {
  if (before.type !== wish.type) return wish;
  const restored = restoreMasked(channelKinds[wish.type], wish.config, before.config);
  if (restored.kind === "restored") {
    const unread = before.problem ? findMaskedSecret(channelKinds[wish.type], wish.config) : null;
    if (unread !== null) {
      throw invalid(`config.${unread}`, "must be entered again: the stored one cannot be read");
    }
    return { ...wish, config: restored.config };
  }
  throw invalid(`config.${restored.field}`, retypeRules[restored.kind]);
}
