import type { Log } from "../../../platform/log.ts";
import type { Outbound } from "../../../platform/outbound.ts";
import type { SitesContext } from "../context.ts";
import {
  type DueImage,
  type PageImage,
  saveFetchedImage,
  saveImageFault,
  takeDueImages,
} from "./image-store.ts";
import { hashPicture, parsePicture } from "./picture.ts";

const maxBytes = 512 * 1024;
const timeoutMs = 10_000;
/** Longer than a fetch can take; after a crash, another server fetches the image then. */
const leaseMs = 120_000;
const maxAtOnce = 16;

/** Delays between attempts; there is no attempt after the last. */
const waitsMs = [60_000, 300_000, 1_800_000, 7_200_000];

export type Fetched =
  | ({ readonly kind: "picture" } & PageImage)
  | { readonly kind: "fault"; readonly fault: string; readonly mayPass: boolean };

export async function fetchPicture(outbound: Outbound, url: string): Promise<Fetched> {
  const answer = await outbound.request({
    method: "GET",
    url,
    headers: { accept: "image/*" },
    timeoutMs,
    maxResponseBytes: maxBytes,
  });
  if (answer.kind !== "answered") {
    const mayPass = answer.kind === "failed" && answer.reason !== "too-large";
    return { kind: "fault", fault: answer.message, mayPass };
  }
  const { status, bodyBytes: bytes } = answer;
  if (status !== 200) {
    return { kind: "fault", fault: `The server responded with status ${status}.`, mayPass: true };
  }
  const picture = parsePicture(bytes);
  if (picture.kind === "invalid") return { kind: "fault", fault: picture.fault, mayPass: true };
  return { kind: "picture", contentType: picture.contentType, bytes, hash: hashPicture(bytes) };
}

/** Returns when to retry; `null` after the last attempt. */
export function decideNextAttempt(
  attempt: number,
  { mayPass }: { readonly mayPass: boolean },
  now: Date,
): Date | null {
  const waitMs = mayPass ? waitsMs[attempt - 1] : undefined;
  return waitMs === undefined ? null : new Date(now.getTime() + waitMs);
}

async function fetchOne(context: SitesContext, due: DueImage): Promise<void> {
  const fetched = await fetchPicture(context.sendTools.outbound, due.source);
  const at = context.clock.now();
  if (fetched.kind === "picture") {
    await saveFetchedImage(context.db, due, { ...fetched, at });
    return;
  }
  const nextAttemptAt = decideNextAttempt(due.attempt, fetched, at);
  await saveImageFault(context.db, due, { fault: fetched.fault, nextAttemptAt });
}

/** Fetches due images concurrently, so that a slow server does not delay the others. */
export class ImageFetcher {
  readonly #context: SitesContext;
  readonly #log: Log;
  readonly #underWay = new Set<Promise<void>>();

  constructor(context: SitesContext, log: Log) {
    this.#context = context;
    this.#log = log;
  }

  /** Starts as many fetches as the limit allows, without waiting for them. */
  async begin(): Promise<void> {
    const limit = maxAtOnce - this.#underWay.size;
    if (limit <= 0) return;
    const now = this.#context.clock.now();
    const until = new Date(now.getTime() + leaseMs);
    const due = await takeDueImages(this.#context.db, { now, until, limit });
    for (const one of due) {
      const fetching = fetchOne(this.#context, one)
        .catch((error) => this.#log.warn({ err: error }, "an image could not be stored"))
        .finally(() => this.#underWay.delete(fetching));
      this.#underWay.add(fetching);
    }
  }

  /** Unfinished images are fetched again when their lease ends. */
  settleWithin(timeoutMs: number): Promise<void> {
    const late = new Promise<void>((resume) => setTimeout(resume, timeoutMs).unref());
    const done = Promise.all(this.#underWay).then(() => {});
    return Promise.race([done, late]);
  }
}
