/**
 * Delays events, so that a test fails if it passes only because two events usually happen in one
 * order. `SHAKE=1 node test/run.ts FILES` randomly delays browser requests, their responses, and
 * database statements; the number is the seed. `LATE_NOTIFICATIONS=2000 node test/run.ts FILES`
 * delays change notifications by two seconds.
 */
import { type IncomingMessage, Server, ServerResponse } from "node:http";
import pg from "pg";

const longestOfBrowserMs = 700;
const longestOfDatabaseMs = 60;

// Kept here, because a test that mocks the timers must not stop these delays.
const { setTimeout } = globalThis;

type Shake = (longestMs: number, then: () => void) => void;

function makeShake(seed: number): Shake {
  let state = seed >>> 0;
  return (longestMs, then) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const share = state / 2 ** 32;
    // Half of the events are not delayed, so that later events can overtake the delayed ones.
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

/** Delays database statements. The statements of one connection stay in order. */
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

/**
 * Whether a notification belongs to the channel on which a server verifies that it receives
 * notifications.
 */
const isOwnChannel = (message: unknown) =>
  typeof message === "object" &&
  message !== null &&
  /"channel":"line_/.test(JSON.stringify(message));

/**
 * Delays all notifications by a fixed time. With random delays, a late earlier notification could
 * hide that a test does not wait.
 */
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
