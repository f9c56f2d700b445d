import type { Result } from "../../contract/result.ts";
import type { SeenCertificate } from "../../kinds/definition.ts";
import type { Kind } from "../../kinds/kind.ts";
import { BoundedMap } from "../../platform/bounded-map.ts";

export interface CertificateRow extends SeenCertificate {
  readonly checkId: string;
  readonly accountId: string;
  readonly resultId: string;
  readonly location: string;
}

interface FinalRun {
  readonly result: Result;
  readonly watched: { readonly checkId: string; readonly accountId: string; readonly kind: Kind };
}

/** How often the last use of a certificate is stored. */
const storeEveryMs = 3_600_000;
const maxCached = 250_000;

/**
 * Caches which certificates were stored recently, so that a run with a known certificate needs no
 * query.
 */
export class SeenCertificates {
  readonly #storedAtMs = new BoundedMap<string, number>(maxCached);

  /** Returns at most one row per check and certificate. */
  listUnstored(finals: readonly FinalRun[], nowMs: number): CertificateRow[] {
    const found = new Map<string, CertificateRow>();
    for (const { result, watched } of finals) {
      const certificate = watched.kind.findCertificate?.(result) ?? null;
      if (certificate === null) continue;
      const { checkId, accountId } = watched;
      const { runId: resultId, location } = result;
      const key = writeKey(checkId, certificate);
      const storedAtMs = this.#storedAtMs.get(key) ?? Number.NEGATIVE_INFINITY;
      if (nowMs - storedAtMs < storeEveryMs) continue;
      found.set(key, { ...certificate, checkId, accountId, resultId, location });
    }
    return [...found.values()];
  }

  /** Must be called after the certificates were stored. */
  remember(finals: readonly FinalRun[], nowMs: number): void {
    for (const row of this.listUnstored(finals, nowMs)) {
      this.#storedAtMs.set(writeKey(row.checkId, row), nowMs);
    }
  }
}

function writeKey(checkId: string, { fingerprint }: SeenCertificate): string {
  return `${checkId} ${fingerprint}`;
}
