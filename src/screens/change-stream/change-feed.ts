import { setTimeout as wait } from "node:timers/promises";
import { type Access, isAllowed, type Standing } from "../../access/accounts/index.ts";

/** Maximum number of ids per type in an event. Larger changes are reported without ids. */
export const maxIds = 100;

type EndReason = "signed-out" | "stopping" | "time-over";

/** A parsed database notification. `ids` is `null` if many objects changed. */
interface Announcement {
  readonly accountId: string;
  readonly topic: string;
  readonly ids: readonly string[] | null;
}

/** Parses a database notification; returns `null` if the text has another format. */
export function readAnnouncement(text: string): Announcement | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(parsed)) return null;
  const [accountId, topic, ids] = parsed;
  if (typeof accountId !== "string" || typeof topic !== "string") return null;
  const isList = Array.isArray(ids) && ids.every((id) => typeof id === "string");
  return { accountId, topic, ids: isList ? ids : null };
}

export interface Change {
  readonly type: string;
  readonly ids: readonly string[] | null;
  /** Access that a caller needs to receive the change. */
  readonly access: Extract<Access, "read" | "admin">;
}

/**
 * Maps an object type, the first word of an audit action, to the access that a caller needs to
 * receive its changes; `null` if nobody receives them.
 */
export const auditedThings: Readonly<Record<string, Change["access"] | null>> = {
  account: "read",
  "agent-action": null,
  alert: "read",
  "alert-channel": "read",
  "alert-notification": null,
  "alert-source": "read",
  "alert-settings": "read",
  annotation: "read",
  "api-key": "admin",
  "audit-log": null,
  backup: "admin",
  check: "read",
  "check-group": "read",
  "check-parents": "read",
  "check-session": null,
  "client-certificate": "read",
  "contact-method": null,
  dashboard: "read",
  deployment: null,
  "escalation-policy": "read",
  incident: "read",
  "incident-note": "read",
  "incident-post-mortem": "read",
  "incident-template": "read",
  "incident-update": "read",
  import: "read",
  invite: "admin",
  "maintenance-window": "read",
  member: "read",
  mute: "read",
  "notification-rules": null,
  "on-call-feed": null,
  "on-call-page": null,
  "on-call-preferences": null,
  "on-call-override": "read",
  "on-call-schedule": "read",
  "on-call-swap": "read",
  passkey: null,
  "private-location": "read",
  probe: "read",
  "probe-key": "read",
  project: "read",
  "push-address": "read",
  "push-subscription": null,
  "recovery-codes": null,
  "run-trigger": null,
  runtime: "read",
  service: "read",
  session: null,
  "sign-in-link": null,
  snippet: "read",
  "status-page": "read",
  "status-page-component": "read",
  "status-page-rule": "read",
  subscription: "admin",
  "test-session": null,
  totp: null,
  user: null,
  variable: "read",
  view: "read",
};

const goneWords = new Set(["deleted", "withdrawn", "revoked", "removed"]);
/** Audit actions that change no stored object, such as a trial run of a check. */
const emptyActions = new Set(["check.tried"]);

/** Converts a notification to a change; returns `null` if no reader may receive the change. */
export function toChange({ topic, ids }: Announcement): Change | null {
  const [source = "", action = ""] = topic.split(" ");
  if (source !== "audit") return { type: topic, ids, access: "read" };
  const [thing = "", word = ""] = action.split(".");
  // Changes of unknown types are sent only to callers who may read the audit log.
  const access = thing in auditedThings ? auditedThings[thing] : "admin";
  if (access === null || access === undefined || emptyActions.has(action)) return null;
  return { type: `${thing}.${goneWords.has(word) ? "deleted" : "changed"}`, ids, access };
}

export type FeedEvent =
  | { readonly event: "hello" }
  | { readonly event: "changes"; readonly changes: readonly Omit<Change, "access">[] }
  | { readonly event: "resync" }
  | { readonly event: "beat" }
  | { readonly event: "end"; readonly reason: EndReason };

/** Pending changes for one reader. Their number is bounded, even if the reader is slow. */
export class ChangeFeed {
  readonly #waiting = new Map<string, Set<string> | null>();
  #isResyncDue = false;
  #end: EndReason | null = null;
  #wake: (() => void) | null = null;

  add({ type, ids }: Change): void {
    const known = this.#waiting.get(type);
    if (known !== null) {
      const all = new Set([...(known ?? []), ...(ids ?? [])]);
      const isMany = ids === null || all.size > maxIds;
      this.#waiting.set(type, isMany ? null : all);
    }
    this.#wake?.();
  }

  /**
   * Makes the reader fetch everything again, because changes may have been missed. Pending changes
   * are dropped, because the reader fetches their objects too.
   */
  resync(): void {
    this.#isResyncDue = true;
    this.#waiting.clear();
    this.#wake?.();
  }

  end(reason: EndReason): void {
    this.#end ??= reason;
    this.#wake?.();
  }

  /** Returns the next event; `null` if no event is pending. */
  take(): FeedEvent | null {
    if (this.#end !== null) return { event: "end", reason: this.#end };
    if (this.#isResyncDue) {
      this.#isResyncDue = false;
      return { event: "resync" };
    }
    if (this.#waiting.size === 0) return null;
    const changes = [...this.#waiting].map(([type, ids]) => ({ type, ids: ids && [...ids] }));
    this.#waiting.clear();
    return { event: "changes", changes };
  }

  /** Resolves when an event is pending, or after the timeout. */
  async #somethingOr(timeoutMs: number): Promise<void> {
    const timer = Promise.withResolvers<void>();
    this.#wake = timer.resolve;
    const timeout = setTimeout(timer.resolve, timeoutMs);
    await timer.promise;
    clearTimeout(timeout);
    this.#wake = null;
  }

  /**
   * Yields events. The first change is sent immediately, and changes soon after it are combined.
   * After a period without changes, a heartbeat shows that the stream is alive.
   */
  async *follow(times: {
    readonly quietMs: number;
    readonly beatMs: number;
  }): AsyncGenerator<FeedEvent> {
    yield { event: "hello" };
    while (true) {
      const isEmpty = this.#waiting.size === 0 && !this.#isResyncDue && this.#end === null;
      if (isEmpty) await this.#somethingOr(times.beatMs);
      const next: FeedEvent = this.take() ?? { event: "beat" };
      yield next;
      if (next.event === "end") return;
      if (next.event !== "beat") await wait(times.quietMs);
    }
  }
}

/** Returns the caller's current access; `null` if the caller may no longer read the account. */
type FindStanding = () => Promise<Standing | null>;

interface OpenStream {
  readonly feed: ChangeFeed;
  readonly accountId: string;
  readonly findStanding: FindStanding;
  standing: Standing;
  /**
   * Timer that checks the caller's access again when the key or session expires, or after one day.
   */
  expiry: NodeJS.Timeout | undefined;
}

/**
 * Maximum delay of a timer in milliseconds. Node.js fires timers with very long delays immediately.
 */
const maxTimerMs = 86_400_000;

/** Open event streams of this server, by account. */
export class ChangeStreams {
  readonly #byAccount = new Map<string, Set<OpenStream>>();
  readonly #nowMs: () => number;
  #isReviewing = false;
  #isReviewDue = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  open(standing: Standing, findStanding: FindStanding): { feed: ChangeFeed; close: () => void } {
    const { accountId } = standing.caller;
    const feed = new ChangeFeed();
    const stream: OpenStream = { feed, accountId, findStanding, standing, expiry: undefined };
    const known = this.#byAccount.get(accountId);
    if (known === undefined) this.#byAccount.set(accountId, new Set([stream]));
    else known.add(stream);
    this.#watchExpiry(stream);
    return { feed, close: () => this.#close(stream) };
  }

  #close(stream: OpenStream): void {
    clearTimeout(stream.expiry);
    const known = this.#byAccount.get(stream.accountId);
    known?.delete(stream);
    if (known?.size === 0) this.#byAccount.delete(stream.accountId);
  }

  /**
   * Adds a change to the streams of its account. If `text` is `null`, changes may have been missed,
   * so all readers fetch everything again.
   */
  readonly publish = (text: string | null): void => {
    if (text === null) {
      for (const stream of this.#list()) stream.feed.resync();
      return;
    }
    const announcement = readAnnouncement(text);
    const streams = announcement && this.#byAccount.get(announcement.accountId);
    const change = streams && toChange(announcement);
    if (!change) return;
    for (const { feed, standing } of streams) {
      const { role, type } = standing.caller;
      if (isAllowed(change.access, role, type === "SESSION")) feed.add(change);
    }
  };

  /**
   * Ends the streams of callers who may no longer read the account. One review runs at a time, and
   * changes during a review cause one more review.
   */
  readonly review = async (): Promise<void> => {
    this.#isReviewDue = true;
    if (this.#isReviewing) return;
    this.#isReviewing = true;
    while (this.#isReviewDue) {
      this.#isReviewDue = false;
      for (const stream of this.#list()) await this.#reviewOne(stream);
    }
    this.#isReviewing = false;
  };

  async #reviewOne(stream: OpenStream): Promise<void> {
    // If the caller's access cannot be checked, the stream ends, and the caller may connect again.
    const found = await stream.findStanding().catch(() => null);
    if (found === null) {
      stream.feed.end("signed-out");
      return;
    }
    stream.standing = found;
    this.#watchExpiry(stream);
  }

  #watchExpiry(stream: OpenStream): void {
    clearTimeout(stream.expiry);
    const { expiresAt } = stream.standing;
    const leftMs = expiresAt === null ? maxTimerMs : expiresAt.getTime() - this.#nowMs();
    const isOpen = this.#byAccount.get(stream.accountId)?.has(stream) ?? false;
    if (!isOpen) return;
    stream.expiry = setTimeout(
      () => void this.#reviewOne(stream),
      Math.min(Math.max(leftMs, 0), maxTimerMs),
    );
    stream.expiry.unref();
  }

  endAll(reason: EndReason): void {
    for (const { feed } of this.#list()) feed.end(reason);
  }

  #list(): OpenStream[] {
    return [...this.#byAccount.values()].flatMap((streams) => [...streams]);
  }
}
