import { Counter, Histogram, type Registry } from "prom-client";

export interface AlertMetrics {
  readonly decisions: Counter;
  readonly deliveries: Counter;
  readonly deliverySeconds: Histogram;
}

export function createAlertMetrics(registry: Registry): AlertMetrics {
  const registers = [registry];
  return {
    decisions: new Counter({
      name: "vedette_alert_decisions_total",
      help: "Number of alerts sent or held, by kind.",
      labelNames: ["kind"],
      registers,
    }),
    deliveries: new Counter({
      name: "vedette_alert_deliveries_total",
      help: "Number of delivery attempts, by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
    deliverySeconds: new Histogram({
      name: "vedette_alert_decision_to_delivery_seconds",
      help: "Time from the decision to send an alert until its message was delivered.",
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
      registers,
    }),
  };
}
