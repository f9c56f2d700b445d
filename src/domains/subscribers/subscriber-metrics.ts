import { Counter, type Registry } from "prom-client";

export interface SubscriberMetrics {
  readonly deliveries: Counter;
  readonly addressed: Counter;
}

export function createSubscriberMetrics(registry: Registry): SubscriberMetrics {
  const registers = [registry];
  return {
    deliveries: new Counter({
      name: "vedette_subscriber_deliveries_total",
      help: "Attempts to deliver a message to a subscriber of a status page, by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
    addressed: new Counter({
      name: "vedette_subscriber_messages_total",
      help: "Messages that announcements were turned into, one per subscriber.",
      registers,
    }),
  };
}
