import { Counter, Histogram, type Registry } from "prom-client";
import type { SendTools } from "../../channels/alert-channels/index.ts";
import type { ChecksContext } from "../../checks/checks/index.ts";
import type { Log } from "../../platform/log.ts";
import type { StatesContext } from "../../runs/states/index.ts";

/** Dependencies that most API routes of alerting have in common. */
export type AlertingContext = ChecksContext & StatesContext;

/** Dependencies of the functions that decide on alerts and compose their messages. */
export interface DeciderContext extends AlertingContext {
  readonly log: Log;
  readonly alertMetrics: AlertMetrics;
  /** Returns the base URL of links in messages. */
  readonly publicUrl: () => string;
}

/** Dependencies of the deliverer, which sends alerts to channels. */
export interface DelivererContext
  extends Pick<DeciderContext, "db" | "clock" | "log" | "encryption" | "alertMetrics"> {
  readonly sendTools: Omit<SendTools, "now" | "accountId">;
  /**
   * Returns the number of servers that share the concurrency limit of a channel. If omitted, one
   * server is assumed.
   */
  readonly servers?: (() => number) | undefined;
}

interface AlertMetrics {
  readonly decisions: Counter;
  readonly deliveries: Counter;
  readonly quiet: Counter;
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
    quiet: new Counter({
      name: "vedette_alert_quiet_hours_total",
      help: "Number of messages held or rerouted because of quiet hours of a channel, by outcome.",
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
