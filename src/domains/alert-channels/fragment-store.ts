/** SQL fragment for other modules with alert_channel_id, check_id, group_id and activated. */
export const subscriptionRows = `(
  select alert_channel_id, check_id, group_id, activated from alert_channel_subscriptions)`;
