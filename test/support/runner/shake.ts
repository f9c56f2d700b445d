/**
 * `SHAKE=1 node test/run.ts test/browser/…` makes everything slow, now here and now there: what a
 * browser asks of the API waits before it is heard and again before it is answered, and what the
 * product asks of its database waits, too. A test that passes only because two things happen to
 * come in their usual order fails then. Another number shakes in another way.
 */
import { type IncomingMessage, Server, ServerResponse } from "node:http";
import pg from "pg";

const longestOfBrowserMs = 700;
const longestOfDatabaseMs = 60;

// Tests that stop the timers do not stop these.
const { setTimeout } = globalThis;

type Shake = (longestMs: number, then: () => void) => void;

function makeShake(seed: number): Shake {
  let state = seed >>> 0;
  return (longestMs, then) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const share = state / 2 ** 32;
    // Half of them do not wait, so that others come after them.
    if (share < 0.5) then();
    else setTimeout(then, (share - 0.5) * 2 * longestMs);
  };
}

function isOfBrowser(request: IncomingMessage): boolean {
  const agent = request.headers["user-agent"] ?? "";
  return agent.includes("Chrome") && (request.url ?? "").startsWith("/v1/");
}

function shakeServers(shake: Shake): void {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event: string | symbol, ...rest: unknown[]) {
    const go = () => emit.call(this, event, ...rest);
    if (event !== "request" || !isOfBrowser(rest[0] as IncomingMessage)) return go();
    shake(longestOfBrowserMs, go);
    return true;
  };
  const { end } = ServerResponse.prototype;
  ServerResponse.prototype.end = function (...rest: unknown[]) {
    const go = () => Reflect.apply(end, this, rest);
    if (isOfBrowser(this.req)) shake(longestOfBrowserMs, go);
    else go();
    return this;
  };
}

/** The statements of one connection keep their order. */
function shakeDatabase(shake: Shake): void {
  const turns = new WeakMap<pg.Client, Promise<void>>();
  const query: (...rest: unknown[]) => unknown = pg.Client.prototype.query;
  const shaken = function (this: pg.Client, ...rest: unknown[]): unknown {
    const before = turns.get(this) ?? Promise.resolve();
    const turn = before.then(
      () => new Promise<void>((resolve) => shake(longestOfDatabaseMs, resolve)),
    );
    turns.set(this, turn);
    const [statement] = rest;
    const answer = turn.then(() => Reflect.apply(query, this, rest));
    const isSubmitted =
      typeof statement === "object" && statement !== null && "submit" in statement;
    return isSubmitted ? statement : answer;
  };
  Object.assign(pg.Client.prototype, { query: shaken });
}

const seed = Number(process.env.SHAKE ?? "0");
if (seed > 0) {
  shakeServers(makeShake(seed));
  shakeDatabase(makeShake(seed));
}
