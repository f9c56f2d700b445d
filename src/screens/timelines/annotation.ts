/** Maximum number of annotations per account; above it, the oldest are deleted. */
export const maxPerAccount = 20_000;

/** Maximum time ahead of now; a later time is probably a mistake in a clock or a unit. */
const maxAheadMs = 86_400_000;
const maxPastMs = 800 * 86_400_000;

export const annotationTypes = ["NOTE", "DEPLOYMENT"] as const;
type AnnotationType = (typeof annotationTypes)[number];

/** A text that charts show at a certain time. */
export interface Annotation {
  readonly id: string;
  readonly type: AnnotationType;
  readonly text: string;
  readonly url: string | null;
  readonly at: Date;
  /** Check of the annotation; `null` if it applies to checks by tag or to all checks. */
  readonly checkId: string | null;
  /**
   * Tags that select the checks to which the annotation applies. If there are neither tags nor a
   * check, the annotation applies to the whole account.
   */
  readonly tags: readonly string[];
  /** Name of the user or API key that added the annotation, as of that time. */
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

interface Fault {
  readonly key: string;
  readonly rule: string;
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ["http:", "https:"].includes(url.protocol);
}

/** Returns the first error of an annotation; `null` if the annotation is valid. */
export function findFault(input: AnnotationInput, now: Date): Fault | null {
  if (input.text.trim() === "") return { key: "text", rule: "must not be blank" };
  if (typeof input.url === "string" && !isWebAddress(input.url)) {
    return { key: "url", rule: "must be a URL that starts with http:// or https://" };
  }
  if (typeof input.checkId === "string" && (input.tags ?? []).length > 0) {
    return { key: "tags", rule: "must be empty if checkId is given" };
  }
  if (input.at === undefined) return null;
  const atMs = Date.parse(input.at);
  if (Number.isNaN(atMs)) return { key: "at", rule: "must be a valid time" };
  const nowMs = now.getTime();
  if (atMs > nowMs + maxAheadMs) return { key: "at", rule: "must be at most a day ahead" };
  return atMs < nowMs - maxPastMs ? { key: "at", rule: "must be at most 800 days ago" } : null;
}
