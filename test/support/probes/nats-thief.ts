/** Connects to NATS like an attacker who has stolen a probe key. */
import type { TestContext } from "node:test";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { ProbeAnswer } from "../../../src/contract/link.ts";
import { deriveNatsLogin, inboxPrefixOf } from "../../../src/contract/nats-key.ts";
import { hashSecret } from "../../../src/platform/secrets.ts";
import { waitUntil } from "../time/wait-until.ts";
import { makeHello } from "./probe-client.ts";

export interface Thief {
  readonly nc: NatsConnection;
  readonly user: string;
  readonly inboxPrefix: string;
}

export async function connectThief(t: TestContext, port: number, token: string): Promise<Thief> {
  const { user, password: pass } = deriveNatsLogin(hashSecret(token));
  const inboxPrefix = inboxPrefixOf(user);
  const nc = await connect({ servers: `127.0.0.1:${port}`, user, pass, inboxPrefix });
  t.after(() => nc.close());
  return { nc, user, inboxPrefix };
}

/**
 * Returns functions with which the attacker tries to receive orders. The attacker sends a hello to
 * learn the name of the consumer of the orders.
 */
export async function stealOrders(t: TestContext, port: number, token: string) {
  const { nc, user, inboxPrefix } = await connectThief(t, port, token);
  const answers: ProbeAnswer[] = [];
  const answerTo = `${inboxPrefix}.thief`;
  nc.subscribe(answerTo, { callback: (_, message) => void answers.push(message.json()) });
  const hello = makeHello({ name: "thief", maxOpen: 1 });
  const sayHello = async () => {
    const before = answers.length;
    await nc.request(`probes.${user}`, JSON.stringify({ hello, answerTo }));
    await waitUntil("a server answers", () => answers.length > before);
    return answers.at(-1);
  };
  const waitForOrder = (consumer: string) => {
    const wait = JSON.stringify({ batch: 1, expires: 25_000_000_000 });
    const subject = `$JS.API.CONSUMER.MSG.NEXT.VEDETTE_ORDERS.${consumer}`;
    return nc.request(subject, wait, { timeout: 30_000 });
  };
  return { sayHello, waitForOrder };
}
