import type { NatsLogin } from "../contract/nats-key.ts";
import { inboxPrefixOf } from "../contract/nats-key.ts";
import type { AdmittedKey } from "../domains/locations/index.ts";
import { subjects } from "../domains/runs/index.ts";
import type { NatsAddress } from "../platform/nats/nats-address.ts";
import { findStream, natsStreams } from "../platform/nats/nats-streams.ts";

export type ProbeLogin = NatsLogin & AdmittedKey;

/**
 * What a probe's user of NATS may do: take orders from a consumer whose name it was told, answer
 * them, say hello. The name is the secret of its route, and changes when a key is revoked: a list
 * of users cannot be changed as fast.
 */
export function describePermissions({ user, route }: ProbeLogin) {
  const { name: stream } = findStream(natsStreams, subjects.ordersOf(route));
  return {
    publish: [
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
      `$JS.ACK.${stream}.*.>`,
      // As newer servers call the same: with a domain and an account in front.
      `$JS.ACK.*.*.${stream}.*.>`,
      subjects.resultsFrom(route, user),
      subjects.newsFrom("*", route, user),
      subjects.probesFrom(user),
    ],
    subscribe: [`${inboxPrefixOf(user)}.>`],
  };
}

function writeUser(login: ProbeLogin): string {
  const { publish, subscribe } = describePermissions(login);
  const list = (subjects: readonly string[]) =>
    subjects.map((one) => JSON.stringify(one)).join(", ");
  return [
    `    # ${login.location}, key ${login.keyId}`,
    `    { user: ${JSON.stringify(login.user)}, password: ${JSON.stringify(login.password)},`,
    `      permissions: { publish: { allow: [${list(publish)}] },`,
    `        subscribe: { allow: [${list(subscribe)}] } } }`,
  ].join("\n");
}

/** The part of nats-server's configuration that lets servers and probes in. */
export function writeNatsUsers(
  logins: readonly ProbeLogin[],
  address: NatsAddress | undefined,
): string {
  const { user = null, password = null } = address ?? {};
  const servers =
    user === null || password === null
      ? "    # The servers, as NATS_URL has it: { user: vedette, password: … }"
      : `    # The servers, as NATS_URL has it.\n    { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)} }`;
  return [
    "# Written by `vedette nats-users`. Include it in the configuration of nats-server, keep it from",
    "# others, and reload (nats-server --signal reload) whenever a key is made or revoked.",
    "authorization {",
    "  users = [",
    [servers, ...logins.map(writeUser)].join("\n"),
    "  ]",
    "}",
  ].join("\n");
}
