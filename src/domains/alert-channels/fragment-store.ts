/** A part of queries for other rooms: alert_channel_id, check_id, group_id, activated. */
export const subscriptionRows = `(
  select alert_channel_id, check_id, group_id, activated from alert_channel_subscriptions)`;
