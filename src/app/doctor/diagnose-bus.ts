import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { NatsAddress } from "../../platform/nats/nats-address.ts";
import { natsStreams } from "../../platform/nats/nats-streams.ts";
import { type Finding, findingsOf } from "./finding.ts";

const { ok, warn, fail } = findingsOf("Network");
const timeoutMs = 3_000;

/** A revoked key receives no orders, but only the user list of NATS keeps it from connecting. */
export function judgeStranger(seenAt: Date | null): readonly Finding[] {
  if (seenAt === null) return [];
  const when = seenAt.toISOString();
  return [
    warn(
      `NATS admits a client whose key is revoked or unknown, last seen at ${when}. It receives no orders, and its messages are rejected.`,
      "Print the users again and reload: npm run --silent vedette nats-users > /etc/nats/vedette-users.conf && nats-server --signal reload",
    ),
  ];
}

/** Uses a separate connection, so that it also works if the server does not start. */
export async function diagnoseBus(address: NatsAddress | undefined): Promise<readonly Finding[]> {
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
      if (missing.length === 0) return [ok("NATS responds, and all streams exist.")];
      const names = missing.map(({ name }) => name).join(", ");
      return [
        warn(
          `NATS responds, but streams are missing: ${names}.`,
          "Servers create them on start, and recreate a deleted one within seconds.",
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
