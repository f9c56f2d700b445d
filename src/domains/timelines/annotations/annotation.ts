export const annotationTypes = ["NOTE", "DEPLOYMENT"] as const;
export type AnnotationType = (typeof annotationTypes)[number];

/** A time on the charts of some checks, with what people should know about it. */
export interface Annotation {
  readonly id: string;
  readonly type: AnnotationType;
  readonly text: string;
  readonly url: string | null;
  readonly at: Date;
  /** The only check that it is about; `null` if it is about several. */
  readonly checkId: string | null;
  /** Tags of the checks that it is about; all checks of the account if there are none. */
  readonly tags: readonly string[];
  /** Name of the person or API key that added it, at that time. */
  readonly author: string;
  readonly createdAt: Date;
}

export interface AnnotationInput {
  readonly type: AnnotationType;
  readonly text: string;
  readonly url?: string | null;
  readonly at?: string;
  readonly checkId?: string | null;
  readonly tags?: readonly string[];
}

/** Number of annotations that an account keeps; the oldest give way to new ones. */
export const maxPerAccount = 20_000;

/** A chart ends now: what is further ahead is a mistake in a clock or a unit. */
const maxAheadMs = 86_400_000;
const maxPastMs = 800 * 86_400_000;

interface Fault {
  readonly key: string;
  readonly rule: string;
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ["http:", "https:"].includes(url.protocol);
}

/** Returns what is wrong with an annotation; `null` if nothing is. */
export function findFault(input: AnnotationInput, now: Date): Fault | null {
  if (input.text.trim() === "") return { key: "text", rule: "must not be blank" };
  if (typeof input.url === "string" && !isWebAddress(input.url)) {
    return { key: "url", rule: "must be an address that begins with http:// or https://" };
  }
  if (typeof input.checkId === "string" && (input.tags ?? []).length > 0) {
    return { key: "tags", rule: "must be empty if checkId is given" };
  }
  if (input.at === undefined) return null;
  const atMs = Date.parse(input.at);
  if (Number.isNaN(atMs)) return { key: "at", rule: "must be a time that exists" };
  const nowMs = now.getTime();
  if (atMs > nowMs + maxAheadMs) return { key: "at", rule: "must be at most a day ahead" };
  return atMs < nowMs - maxPastMs ? { key: "at", rule: "must be at most 800 days ago" } : null;
}
