import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { NatsAddress } from "../../platform/nats/nats-address.ts";
import { natsStreams } from "../../platform/nats/nats-streams.ts";
import { type Finding, findingsOf } from "./finding.ts";

const { ok, warn, fail } = findingsOf("Network");
const timeoutMs = 3_000;

/** Its orders ended with its key; only NATS's own list of users keeps it from connecting. */
export function judgeStranger(seenAt: Date | null): readonly Finding[] {
  if (seenAt === null) return [];
  const when = seenAt.toISOString();
  return [
    warn(
      `NATS lets in somebody whose key was revoked or is unknown, last heard at ${when}. It gets no orders, and what it says is refused.`,
      "Print the users again and reload: npm run --silent vedette nats-users > /etc/nats/vedette-users.conf && nats-server --signal reload",
    ),
  ];
}

/** A connection of its own, so that it also tells when the server does not start. */
export async function lookAtBus(address: NatsAddress | undefined): Promise<readonly Finding[]> {
  if (address === undefined) return [];
  const { servers, isTls, user, password } = address;
  const fix = "Check that nats-server runs with `-js`, and that NATS_URL has its address and user.";
  try {
    const nc = await connect({
      servers: [...servers],
      ...(user === null ? {} : { user, pass: password ?? "" }),
      ...(isTls ? { tls: {} } : {}),
      timeout: timeoutMs,
      maxReconnectAttempts: 0,
      reconnect: false,
      name: "vedette doctor",
    });
    try {
      const manager = await jetstreamManager(nc, { timeout: timeoutMs, checkAPI: true });
      const found = (await manager.streams.names().next()) as readonly string[];
      const missing = natsStreams.filter(({ name }) => !found.includes(name));
      if (missing.length === 0) return [ok("NATS answers, and all streams are there.")];
      const names = missing.map(({ name }) => name).join(", ");
      return [
        warn(
          `NATS answers, but streams are missing: ${names}.`,
          "Servers make them when they start, and again within seconds if somebody deletes one.",
        ),
      ];
    } finally {
      await nc.close();
    }
  } catch (error) {
    const { message } = error as Error;
    return [fail(`NATS at NATS_URL cannot be used: ${message}.`, fix)];
  }
}
