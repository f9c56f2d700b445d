import type { AdmittedKey } from "../checks/locations/index.ts";
import type { NatsLogin } from "../contract/nats-key.ts";
import { inboxPrefixOf } from "../contract/nats-key.ts";
import { subjects } from "../contract/protocol.ts";
import type { NatsAddress } from "../platform/nats/nats-address.ts";
import { findStream, natsStreams } from "../platform/nats/nats-streams.ts";

export type ProbeLogin = NatsLogin & AdmittedKey;

/** NATS account of the servers. Only this account has JetStream. */
const serverAccount = "VEDETTE";
const probeAccount = "VEDETTE_REMOTE";
/**
 * How long NATS forwards responses to a pull request. A pull request may wait up to 5 s for
 * messages.
 */
const pullThreshold = "15s";

const { name: ordersStream } = findStream(natsStreams, subjects.ordersOf(""));
const pull = `$JS.API.CONSUMER.MSG.NEXT.${ordersStream}.*`;
const acknowledgements = [
  `$JS.ACK.${ordersStream}.*.>`,
  // Subject format of newer NATS servers, which insert a domain and an account hash.
  `$JS.ACK.*.*.${ordersStream}.*.>`,
];

/**
 * Lists the subjects to which a probe may publish. Without arguments, wildcards cover all probes.
 */
function listServices(user = "*", route = "*"): readonly string[] {
  return [
    pull,
    ...acknowledgements,
    subjects.resultsFrom(route, user),
    subjects.trialEventsFrom("*", route, user),
    subjects.probesFrom(user),
  ];
}

const answersTo = (user: string) => `${inboxPrefixOf(user)}.>`;

const quote = (text: string) => JSON.stringify(text);
const list = (texts: readonly string[]) => `[${texts.map(quote).join(", ")}]`;

function writeUser({ user, password, route, location, keyId }: ProbeLogin): string {
  return [
    `      # ${location}, key ${keyId}`,
    `      { user: ${quote(user)}, password: ${quote(password)},`,
    `        permissions: { publish: { allow: ${list(listServices(user, route))} },`,
    `          subscribe: { allow: ${list([answersTo(user)])} } } }`,
  ].join("\n");
}

function writeServerAccount(address: NatsAddress | undefined): string {
  const { user = null, password = null } = address ?? {};
  const login =
    user === null || password === null
      ? "      # The servers, as NATS_URL has it: { user: vedette, password: … }"
      : `      { user: ${quote(user)}, password: ${quote(password)} }`;
  const exports = listServices().map((subject) => {
    const manyAnswers = `, response_type: stream, threshold: ${quote(pullThreshold)}`;
    return `      { service: ${quote(subject)}${subject === pull ? manyAnswers : ""} }`;
  });
  return [
    `  ${serverAccount}: {`,
    "    jetstream: enabled",
    "    users: [",
    login,
    "    ]",
    "    exports: [",
    ...exports,
    `      { stream: ${quote(answersTo("*"))} }`,
    "    ]",
    "  }",
  ].join("\n");
}

function writeProbeAccount(logins: readonly ProbeLogin[]): string {
  const writeImport = (kind: string, subject: string) =>
    `      { ${kind}: { account: ${serverAccount}, subject: ${quote(subject)} } }`;
  return [
    `  ${probeAccount}: {`,
    "    users: [",
    ...logins.map(writeUser),
    "    ]",
    "    imports: [",
    ...listServices().map((subject) => writeImport("service", subject)),
    writeImport("stream", answersTo("*")),
    "    ]",
    "  }",
  ].join("\n");
}

/**
 * Writes the part of nats-server's configuration that admits servers and probes.
 *
 * Probes have a separate NATS account without JetStream. NATS checks the subject of a message
 * against the permissions of the user, but it does not check the reply subject. In the account of
 * the servers, a probe could therefore have responses of JetStream delivered to any subject, such
 * as `$JS.API.STREAM.DELETE.<stream>`. If the requester has another account, the response is
 * delivered in that account.
 *
 * All probes share one account, in which each probe key is a user. Separate accounts would not work
 * for new keys: after a reload of its configuration, NATS does not route messages between a new
 * account and the account of the servers.
 */
export function writeNatsUsers(
  logins: readonly ProbeLogin[],
  address: NatsAddress | undefined,
): string {
  return [
    "# Written by `vedette nats-users`. Include it in the configuration of nats-server, protect it from",
    "# others, and reload (nats-server --signal reload) whenever a key is created or revoked.",
    "accounts {",
    writeServerAccount(address),
    writeProbeAccount(logins),
    "}",
  ].join("\n");
}
