import { randomUUID } from "node:crypto";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { inboxPrefixOf, type NatsLogin } from "../../contract/nats-key.ts";
import { subjects } from "../../contract/protocol.ts";
import type { NatsAddress } from "../../platform/nats/nats-address.ts";
import { natsStreams, type RecreatedStream } from "../../platform/nats/nats-streams.ts";
import { type Finding, findingsOf } from "./finding.ts";

const printAgain =
  "Print the users again (npm run --silent vedette nats-users > /etc/nats/vedette-users.conf), restart NATS and then the servers. A reload is not enough: it does not connect new accounts.";

/** Reports recreated streams, because the operator must find out why they were missing. */
export function judgeRecreatedStreams(recreated: readonly RecreatedStream[]): readonly Finding[] {
  return recreated.map(({ name, at }) =>
    warn(
      `The stream ${name} of NATS was missing at ${at.toISOString()} and was recreated. Its messages are lost.`,
      "Find out who deleted it, or whether NATS lost its disk. Check that only the servers have a user in the account VEDETTE.",
    ),
  );
}

function connectAs(
  { servers, isTls }: NatsAddress,
  login: { readonly user: string; readonly password: string } | null,
  inboxPrefix = "_INBOX",
): Promise<NatsConnection> {
  return connect({
    servers: [...servers],
    ...(login === null ? {} : { user: login.user, pass: login.password }),
    ...(isTls ? { tls: {} } : {}),
    inboxPrefix,
    timeout: timeoutMs,
    reconnect: false,
    name: "vedette doctor",
  });
}

/**
 * Checks whether the login of a probe and the login of the servers share a NATS account. In a
 * shared account, a probe could have responses of JetStream delivered to any subject, and thereby
 * delete streams. The check is a harmless form of this attack. A client with the login of the probe
 * publishes a message with a random reply subject. A client with the login of the servers
 * subscribes to this subject. If the response of JetStream arrives there, both logins share an
 * account. Returns `null` if the login of the probe cannot connect.
 */
async function canProbeReachServers(
  address: NatsAddress,
  login: NatsLogin,
): Promise<boolean | null> {
  const { user, password } = address;
  const server = await connectAs(
    address,
    user === null ? null : { user, password: password ?? "" },
  );
  const probe = await connectAs(address, login, inboxPrefixOf(login.user)).catch(() => null);
  try {
    if (probe === null) return null;
    let isReached = false;
    const target = `vedette-doctor.${randomUUID()}`;
    server.subscribe(target, {
      callback: () => {
        isReached = true;
      },
    });
    await server.flush();
    const hello = subjects.probesFrom(login.user);
    probe.publish(hello, "{}", { reply: target });
    // Send a second message and wait for its response. NATS handles the two messages in order, so
    // by then NATS has also responded to the first message.
    await probe.request(hello, "{}", { timeout: timeoutMs });
    await server.flush();
    return isReached;
  } finally {
    await probe?.close();
    await server.close();
  }
}

export async function diagnoseNatsAccounts(
  address: NatsAddress | undefined,
  logins: readonly NatsLogin[],
): Promise<readonly Finding[]> {
  const [login] = logins;
  if (address === undefined || login === undefined) return [];
  const canReach = await canProbeReachServers(address, login).catch(() => null);
  if (canReach === null) return [];
  if (!canReach) return [ok("Probes on NATS cannot reach the streams of the servers.")];
  return [
    fail(
      "Probes on NATS share the account of the servers: anyone with a probe key can delete every stream.",
      printAgain,
    ),
  ];
}

const { ok, warn, fail } = findingsOf("Network");
const timeoutMs = 3_000;

/**
 * Reports a client that connects without a valid probe key. A client with a revoked key receives no
 * run orders, but it can connect until it is removed from the user list of NATS.
 */
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

/** Checks NATS on a separate connection. This works even if the server does not start. */
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
