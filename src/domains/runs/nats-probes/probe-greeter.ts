import { type Hello, parseHello } from "../../../contract/hello.ts";
import { type ProbeAnswer, type ProbeCall, parseProbeCall } from "../../../contract/nats-hello.ts";
import { callSubjectOf, inboxPrefixOf } from "../../../contract/nats-key.ts";
import { contractVersion, explainVersionGap } from "../../../contract/version.ts";
import type { Loop } from "../../../platform/loop.ts";
import type { NatsBus } from "../../../platform/nats/nats-bus.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import {
  type ChangedRoute,
  dismissProbe,
  type GreetingFault,
  greetProbe,
  isPrivate,
  type NatsKey,
  noteKeyUse,
} from "../../locations/index.ts";
import { type RunsContext, subjects } from "../context.ts";

export interface GreeterOptions {
  readonly context: RunsContext;
  readonly network: Pick<NatsBus, "ensureConsumer" | "isConnected" | "nameConsumer" | "tell">;
}

/** Has their probes say hello now: the answer says what is so. */
export function callProbes({ context, network }: GreeterOptions, users: readonly string[]): void {
  // Otherwise they say hello as soon as they are connected again.
  if (!network.isConnected()) return;
  const call: ProbeAnswer = { sayHello: true };
  for (const user of users) {
    network
      .tell(callSubjectOf(user), call)
      .catch((error) => context.log.warn({ err: error, user }, "a probe could not be called"));
  }
}

/** Whose key was revoked knows no consumer any more; the others are told the new one. */
export async function followKeys(
  options: GreeterOptions,
  { route, users, left }: ChangedRoute,
): Promise<void> {
  await options.network.ensureConsumer(subjects.ordersOf(route));
  callProbes(options, left.length === 0 ? [] : [...users, ...left]);
}

/** Names are chosen by whoever starts a probe: the place keeps those of others apart. */
function nameProbe(name: string, route: string): string {
  return `${name}-${isPrivate({ route }) ? route.slice(-8) : route}`;
}

/** Hellos of one key in a minute: a probe says six, and one more whenever it is called. */
const maxHellos = 1_200;

const userOf = (subject: string) => subject.slice(subject.lastIndexOf(".") + 1);

/** Hears the hellos of probes that are on NATS themselves; any server may answer. */
export function greetNatsProbes(options: GreeterOptions): Loop {
  const { context, network } = options;
  const { clock } = context;
  const hellos = new RateLimit({ limit: maxHellos, windowMs: 60_000, clock });
  return context.bus.consumeEach<unknown>(subjects.allProbes, {
    name: "greet probes on NATS",
    maxOpen: 50,
    handle: async (message, subject) => {
      const heardAtMs = context.clock.nowMs();
      const user = userOf(subject);
      // Each is written to the database.
      if (!hellos.take(user).allowed) return;
      const call = parseProbeCall(message);
      const key = context.natsKeys.find(user);
      if (call === null) return;
      if (key === null) context.natsKeys.noteStranger(context.clock.now());
      if ("farewell" in call) return hearFarewell(options, key, call);
      const answer = key === null ? unknownKey : await hearHello(options, key, call, heardAtMs);
      // Nobody may have us write to others.
      if (!call.answerTo.startsWith(`${inboxPrefixOf(user)}.`)) return;
      await network.tell(call.answerTo, answer);
    },
  });
}

const unknownKey: ProbeAnswer = { refused: "The server does not know this key." };

async function hearHello(
  { context, network }: GreeterOptions,
  key: NatsKey,
  call: Extract<ProbeCall, { hello: unknown }>,
  heardAtMs: number,
): Promise<ProbeAnswer> {
  const hello = parseHello(call.hello);
  if (hello === null) return { refused: "The hello makes no sense." };
  const gap = explainVersionGap(contractVersion, hello.version);
  if (gap !== null) return { refused: gap.message };
  const { route, location, keyId, accountId } = key;
  const probeId = nameProbe(hello.name, route);
  const fault = await storeHello(context, key, hello);
  if (fault !== null) return { refused: fault.message };
  await noteKeyUse(context.db, keyId, context.clock.now());
  await network.ensureConsumer(subjects.ordersOf(route));
  if (hello.maxOpen === 0) context.directory.noteFarewell(probeId);
  else context.directory.noteHello({ id: probeId, route, keyId }, { accountId, location });
  const isTrusted = (context.directory.findProbe(probeId)?.quarantinedAt ?? null) === null;
  const { sentAtMs } = hello;
  const answeredAtMs = context.clock.nowMs();
  const about = { version: contractVersion, probeId, route, location };
  const welcome = { ...about, sentAtMs, heardAtMs, answeredAtMs };
  const ordersFrom = network.nameConsumer(subjects.ordersOf(route));
  return { welcome, mayTakeOrders: isTrusted, ordersFrom };
}

function storeHello(context: RunsContext, key: NatsKey, hello: Hello): Promise<GreetingFault> {
  const { keyId, route, location } = key;
  const { clockSkewMs, spoolDepth, isSuspect, limitations, ipv4Sources, ipv6Sources } = hello;
  const startedAtMs = Math.min(hello.startedAtMs - (clockSkewMs ?? 0), context.clock.nowMs());
  return greetProbe(context, {
    id: nameProbe(hello.name, route),
    location,
    isBuiltIn: false,
    version: hello.programVersion,
    ...{ ipv4Sources, ipv6Sources, isSuspect, limitations, route, keyId, serverId: null },
    ...{ clockSkewMs, spoolDepth, transport: "nats" },
    startedAt: new Date(startedAtMs),
  });
}

async function hearFarewell(
  { context }: GreeterOptions,
  key: NatsKey | null,
  { farewell }: Extract<ProbeCall, { farewell: unknown }>,
): Promise<void> {
  const { name } = (farewell ?? {}) as { readonly name?: unknown };
  if (key === null || typeof name !== "string") return;
  const probeId = nameProbe(name, key.route);
  // A key speaks for the probes of its own place only.
  if (context.directory.findProbe(probeId)?.route !== key.route) return;
  context.directory.noteFarewell(probeId);
  await dismissProbe(context, probeId);
}
