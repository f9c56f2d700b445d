import {
  type ChangedRoute,
  dismissProbe,
  isPrivate,
  type NatsKey,
  noteKeyUse,
  registerProbe,
} from "../../checks/locations/index.ts";
import {
  type Hello,
  type ProbeAnswer,
  type ProbeCall,
  parseHello,
  parseProbeCall,
} from "../../contract/link.ts";
import { callSubjectOf, inboxPrefixOf } from "../../contract/nats-key.ts";
import { contractVersion, explainVersionGap, subjects } from "../../contract/protocol.ts";
import type { Loop } from "../../platform/loop.ts";
import type { NatsBus } from "../../platform/nats/nats-bus.ts";
import { RateLimit } from "../../platform/rate-limit.ts";
import type { ProbesContext } from "./context.ts";

interface RegistrationOptions {
  readonly context: ProbesContext;
  readonly network: Pick<NatsBus, "ensureConsumer" | "isConnected" | "nameConsumer" | "notify">;
}

/** Requests a hello from the probes with these NATS users, to send them the current settings. */
export function callProbes(
  { context, network }: RegistrationOptions,
  users: readonly string[],
): void {
  // Without NATS, no request is needed: probes send a hello after they reconnect.
  if (!network.isConnected()) return;
  const call: ProbeAnswer = { sayHello: true };
  for (const user of users) {
    network
      .notify(callSubjectOf(user), call)
      .catch((error) =>
        context.log.warn({ err: error, user }, "could not request a hello from a probe"),
      );
  }
}

/**
 * Updates the order consumer of a route whose keys changed. If a key was revoked, requests a hello
 * from the probes of the route, so that they receive the name of the new consumer.
 */
export async function followKeys(
  options: RegistrationOptions,
  { route, users, left }: ChangedRoute,
): Promise<void> {
  await options.network.ensureConsumer(subjects.ordersOf(route));
  callProbes(options, left.length === 0 ? [] : [...users, ...left]);
}

/** Adds a location suffix to the name, because several locations may have a probe of this name. */
function nameProbe(name: string, route: string): string {
  return `${name}-${isPrivate({ route }) ? route.slice(-8) : route}`;
}

/**
 * Maximum number of hellos per minute and key. A probe sends six per minute, and one more for each
 * request.
 */
const maxHellos = 1_200;

const userOf = (subject: string) => subject.slice(subject.lastIndexOf(".") + 1);

/** Processes the hellos of probes directly connected to NATS. Any server may process a hello. */
export function registerNatsProbes(options: RegistrationOptions): Loop {
  const { context, network } = options;
  const { clock } = context;
  const hellos = new RateLimit({ limit: maxHellos, windowMs: 60_000, clock });
  return context.bus.consumeEach<unknown>(subjects.allProbes, {
    name: "register probes on NATS",
    maxOpen: 50,
    handle: async (message, subject) => {
      const receivedAtMs = context.clock.nowMs();
      const user = userOf(subject);
      // Hellos are rate limited, because each hello is written to the database.
      if (!hellos.take(user).allowed) return;
      const call = parseProbeCall(message);
      const key = context.natsKeys.find(user);
      if (call === null) return;
      if (key === null) context.natsKeys.noteStranger(context.clock.now());
      if ("farewell" in call) return handleFarewell(options, key, call);
      const answer =
        key === null ? unknownKey : await handleHello(options, key, call, receivedAtMs);
      // The answer goes only to the sender's own inbox. Otherwise a probe could make the server
      // publish to any subject.
      if (!call.answerTo.startsWith(`${inboxPrefixOf(user)}.`)) return;
      await network.notify(call.answerTo, answer);
    },
  });
}

const unknownKey: ProbeAnswer = { refused: "Unknown probe key." };

async function handleHello(
  { context, network }: RegistrationOptions,
  key: NatsKey,
  call: Extract<ProbeCall, { hello: unknown }>,
  receivedAtMs: number,
): Promise<ProbeAnswer> {
  const hello = parseHello(call.hello);
  if (hello === null) return { refused: "Malformed hello." };
  const gap = explainVersionGap(contractVersion, hello.version);
  if (gap !== null) return { refused: gap.message };
  const { route, location, keyId, accountId } = key;
  const probeId = nameProbe(hello.name, route);
  const about = { version: contractVersion, probeId, route, location };
  const note = () => {
    if (hello.maxOpen === 0) context.directory.noteDisconnect(probeId);
    else context.directory.noteHello({ id: probeId, route, keyId }, { accountId, location });
  };
  const fault = await storeHello(context, key, hello).catch((error: unknown) => {
    // The probe works, although the database does not. NATS delivers the hello again.
    context.directory.noteStored(false);
    note();
    throw error;
  });
  context.directory.noteStored(true);
  if (fault !== null) return { refused: fault.message };
  await noteKeyUse(context.db, keyId, context.clock.now());
  await network.ensureConsumer(subjects.ordersOf(route));
  note();
  const isTrusted = (context.directory.findProbe(probeId)?.quarantinedAt ?? null) === null;
  const { sentAtMs } = hello;
  const answeredAtMs = context.clock.nowMs();
  const welcome = { ...about, sentAtMs, heardAtMs: receivedAtMs, answeredAtMs };
  const ordersFrom = network.nameConsumer(subjects.ordersOf(route));
  return { welcome, mayTakeOrders: isTrusted, ordersFrom };
}

function storeHello(
  context: ProbesContext,
  key: NatsKey,
  hello: Hello,
): ReturnType<typeof registerProbe> {
  const { keyId, route, location } = key;
  const { clockSkewMs, spoolDepth, isSuspect, limitations, ipv4Sources, ipv6Sources } = hello;
  const startedAtMs = Math.min(hello.startedAtMs - (clockSkewMs ?? 0), context.clock.nowMs());
  return registerProbe(context, {
    id: nameProbe(hello.name, route),
    location,
    isBuiltIn: false,
    version: hello.programVersion,
    ...{ ipv4Sources, ipv6Sources, isSuspect, limitations, route, keyId, serverId: null },
    ...{ clockSkewMs, spoolDepth, transport: "nats" },
    startedAt: new Date(startedAtMs),
  });
}

async function handleFarewell(
  { context }: RegistrationOptions,
  key: NatsKey | null,
  { farewell }: Extract<ProbeCall, { farewell: unknown }>,
): Promise<void> {
  const { name } = (farewell ?? {}) as { readonly name?: unknown };
  if (key === null || typeof name !== "string") return;
  const probeId = nameProbe(name, key.route);
  // The sender may disconnect a probe only if the probe is at the location of the sender's key.
  if (context.directory.findProbe(probeId)?.route !== key.route) return;
  context.directory.noteDisconnect(probeId);
  await dismissProbe(context, probeId);
}
