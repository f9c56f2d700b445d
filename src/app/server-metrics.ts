import { Gauge, type Registry } from "prom-client";
import type { Presence } from "../domains/servers/index.ts";

/** What this server knows of all of them. */
export function addServerMetrics(
  registry: Registry,
  presence: Pick<Presence, "liveCount" | "clockSkewMs">,
): void {
  const add = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  add("vedette_live_servers", "Servers on this database that are alive.", () => presence.liveCount);
  add(
    "vedette_clock_offset_seconds",
    "By how much this machine's clock is ahead of the database's; it is corrected for.",
    () => (presence.clockSkewMs ?? 0) / 1_000,
  );
}
