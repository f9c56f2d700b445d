/**
 * Delays things, so that a test that passes only because two things happen in their usual order
 * fails. `SHAKE=1 node test/run.ts FILES` delays requests of a browser, their responses and the
 * statements sent to the database at random; the number is the seed.
 * `LATE_NOTIFICATIONS=2000 node test/run.ts FILES` delays change notifications by two seconds.
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

/** Channel on which a server verifies that it receives notifications. */
const isOwnChannel = (message: unknown) =>
  typeof message === "object" &&
  message !== null &&
  /"channel":"line_/.test(JSON.stringify(message));

/** Not at random: an earlier notification that is late would hide that a test does not wait. */
function delayNotifications(delayMs: number): void {
  const { emit } = pg.Client.prototype;
  pg.Client.prototype.emit = function (event: string | symbol, ...rest: unknown[]): boolean {
    const go = () => Reflect.apply(emit, this, [event, ...rest]);
    if (event !== "notification" || isOwnChannel(rest[0])) return go();
    setTimeout(go, delayMs);
    return true;
  };
}

const lateMs = Number(process.env.LATE_NOTIFICATIONS ?? "0");
if (lateMs > 0) delayNotifications(lateMs);

const seed = Number(process.env.SHAKE ?? "0");
if (seed > 0) {
  shakeServers(makeShake(seed));
  shakeDatabase(makeShake(seed));
}
