/**
 * Manages the destinations of alerts. A *channel* is a destination of one *kind*, to which checks
 * and groups *subscribe*. *Contact methods* are destinations of one member, and *notification
 * rules* decide when each method is used. Secrets are encrypted in the database and masked in
 * responses. Tables: alert_channels, alert_channel_subscriptions, push_keys, push_subscriptions,
 * contact_methods, notification_rules. Views: channel_subscriptions.
 */
export {
  acceptsDigests,
  type ChannelsContext,
  changeChannel,
  createChannel,
  describeChannel,
  listOwnChannels,
  removeChannel,
  sendThrough,
  unseal as unsealChannel,
} from "./actions.ts";
export { type AlertChannel, findConfigFault, type Subscription } from "./alert-channel.ts";
export { type AlertMessage, alertKinds, renderTemplate } from "./alert-text.ts";
export type { SendTools } from "./channel-kind.ts";
export { maskConfig } from "./config-secrets.ts";
export { loadReaches } from "./contacts/actions.ts";
export { decideUrgency, type Urgency } from "./contacts/contact-method.ts";
export { composeDigest } from "./digest.ts";
export { type ChannelType, channelKinds } from "./kinds/index.ts";
export {
  hasAnyChannel,
  listSealedInChannels,
  mapChannels,
  mapSubscribedChannelIds,
} from "./lookup-store.ts";
export { createPushDevices } from "./push/push.ts";
export { addChannelRoutes } from "./routes.ts";
export { parseChannel, SubscriptionSchema, toWireSubscription } from "./schema.ts";
export {
  addSubscriptions,
  createTargetChannel,
  findChannel,
  holdChannel,
  insertCheckSubscriptions,
  listAutoSubscribing,
  listChannelsByIds,
  listExistingChannelIds,
  listSubscriptions,
  obtainTargetChannel,
  removeSubscriptions,
  replaceSubscriptions,
  saveSubscription,
} from "./store.ts";
