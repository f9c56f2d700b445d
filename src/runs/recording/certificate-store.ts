import type { Result } from "../../contract/result.ts";
import type { SeenCertificate } from "../../contract/seen-certificate.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { BoundedMap } from "../../platform/bounded-map.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";

interface CertificateRow extends SeenCertificate {
  readonly checkId: string;
  readonly accountId: string;
  readonly resultId: string;
  readonly location: string;
}

interface FinalRun {
  readonly result: Result;
  readonly watched: { readonly checkId: string; readonly accountId: string; readonly kind: Kind };
}

/** Minimum interval between two updates of a certificate that is still in use. */
const storeEveryMs = 3_600_000;
const maxCached = 250_000;

/** Remembers recently stored certificates, so that runs with these certificates need no query. */
export class SeenCertificates {
  readonly #storedAtMs = new BoundedMap<string, number>(maxCached);

  /** Lists the certificates that must be stored, at most one row per check and certificate. */
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

  /** Remembers the certificates of runs. Must be called after the certificates were stored. */
  remember(finals: readonly FinalRun[], nowMs: number): void {
    for (const row of this.listUnstored(finals, nowMs)) {
      this.#storedAtMs.set(writeKey(row.checkId, row), nowMs);
    }
  }
}

function writeKey(checkId: string, { fingerprint }: SeenCertificate): string {
  return `${checkId} ${fingerprint}`;
}

/** Maximum number of certificates per check, because a server may present a new one each time. */
const maxPerCheck = 10;
/** Maximum expiry date: the last date with a four-digit year. */
const maxExpiryMs = Date.UTC(9999, 11, 31);

/**
 * Stores certificates. Must run in the transaction that stores the results, so that a crash loses
 * none.
 */
export async function saveCertificates(
  db: Database,
  rows: readonly CertificateRow[],
  at: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await runPrepared(db, {
    name: "save-certificates",
    text: `insert into check_certificates as existing (check_id, account_id, fingerprint, host, issuer,
        expires_at, result_id, location, seen_at, look_at)
      select check_id, account_id, fingerprint, host, issuer, to_timestamp(expires_ms / 1000),
        result_id, location, $9, $9
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::float8[],
        $7::uuid[], $8::text[]) as one (check_id, account_id, fingerprint, host, issuer,
        expires_ms, result_id, location) order by check_id, fingerprint
      on conflict (check_id, fingerprint) do update set seen_at = excluded.seen_at,
        host = excluded.host, result_id = excluded.result_id, location = excluded.location`,
    values: [
      rows.map((row) => row.checkId),
      rows.map((row) => row.accountId),
      rows.map((row) => row.fingerprint),
      rows.map((row) => row.host),
      rows.map((row) => row.issuer),
      rows.map((row) => Math.min(row.expiresAtMs, maxExpiryMs)),
      rows.map((row) => row.resultId),
      rows.map((row) => row.location),
      at,
    ],
  });
  await runPrepared(db, {
    name: "forget-superfluous-certificates",
    text: `delete from check_certificates as one using (
        select check_id, fingerprint,
          row_number() over (partition by check_id order by seen_at desc, fingerprint) as place
        from check_certificates where check_id = any($1::uuid[])) as placed
      where one.check_id = placed.check_id and one.fingerprint = placed.fingerprint
        and place > $2`,
    values: [[...new Set(rows.map((row) => row.checkId))], maxPerCheck],
  });
}

/** A certificate for which alerting must decide now whether to send an alert. */
export interface DueCertificate {
  readonly checkId: string;
  readonly fingerprint: string;
  readonly host: string;
  readonly issuer: string;
  readonly expiresAt: Date;
  readonly resultId: string;
  readonly location: string;
  readonly seenAt: Date;
  /** Time at which the host last presented any certificate to the check. */
  readonly hostSeenAt: Date;
  /**
   * Lowest threshold, in days before expiry, for which an alert was sent. -1 if an alert about the
   * expiry itself was sent, `null` if no alert was sent.
   */
  readonly notifiedDays: number | null;
  /**
   * Times of the last alerts about other certificates of this check and host: for certificates that
   * expire soon, and for expired certificates.
   */
  readonly otherSoonNotifiedAt: Date | null;
  readonly otherExpiredNotifiedAt: Date | null;
}

interface Batch {
  readonly limit: number;
  readonly now: Date;
  readonly checkId: string | null;
}

export function lockDueCertificates(db: Database, batch: Batch): Promise<DueCertificate[]> {
  const others = `from check_certificates as other where other.check_id = one.check_id
    and other.host = one.host`;
  const isOther = "other.fingerprint <> one.fingerprint";
  return runPrepared<DueCertificate>(db, {
    name: "lock-due-certificates",
    text: `select check_id as "checkId", fingerprint, host, issuer, expires_at as "expiresAt",
        result_id as "resultId", location, seen_at as "seenAt", told_days as "notifiedDays",
        (select max(seen_at) ${others}) as "hostSeenAt",
        (select max(told_at) ${others} and ${isOther} and told_days >= 0) as "otherSoonNotifiedAt",
        (select max(told_at) ${others} and ${isOther} and told_days < 0) as "otherExpiredNotifiedAt"
      from check_certificates as one where look_at <= $1 and ($3::uuid is null or check_id = $3)
      order by look_at limit $2 for update skip locked`,
    values: [batch.now, batch.limit, batch.checkId],
  });
}

/**
 * Lists the checks with certificates for which alerting must decide now whether to send an alert.
 * Used if the decisions for a batch of certificates failed, to repeat them one check at a time.
 */
export async function listChecksWithDueCertificates(
  db: Database,
  { now, limit }: Pick<Batch, "now" | "limit">,
): Promise<string[]> {
  const rows = await runSql<{ check_id: string }>(
    db,
    `select check_id from check_certificates where look_at <= $1
      group by check_id order by min(look_at) limit $2`,
    [now, limit],
  );
  return rows.map((row) => row.check_id);
}

export interface CertificateEvaluation {
  readonly checkId: string;
  readonly fingerprint: string;
  readonly notifiedDays: number | null;
  readonly notifiedAtMs: number | null;
  readonly evaluateAtMs: number;
}

/** Stores which alerts were sent and when each certificate must be checked again. */
export async function saveCertificateEvaluations(
  db: Database,
  evaluations: readonly CertificateEvaluation[],
): Promise<void> {
  if (evaluations.length === 0) return;
  await runPrepared(db, {
    name: "save-certificate-evaluations",
    text: `update check_certificates as existing set told_days = one.told_days,
        told_at = coalesce(to_timestamp(one.told_ms / 1000), existing.told_at),
        look_at = to_timestamp(one.look_ms / 1000)
      from unnest($1::uuid[], $2::text[], $3::smallint[], $4::float8[], $5::float8[])
        as one (check_id, fingerprint, told_days, told_ms, look_ms)
      where existing.check_id = one.check_id and existing.fingerprint = one.fingerprint`,
    values: [
      evaluations.map((evaluation) => evaluation.checkId),
      evaluations.map((evaluation) => evaluation.fingerprint),
      evaluations.map((evaluation) => evaluation.notifiedDays),
      evaluations.map((evaluation) => evaluation.notifiedAtMs),
      evaluations.map((evaluation) => evaluation.evaluateAtMs),
    ],
  });
}

export async function postponeCertificates(
  db: Database,
  checkId: string,
  lookAt: Date,
): Promise<void> {
  await runSql(db, "update check_certificates set look_at = $2 where check_id = $1", [
    checkId,
    lookAt,
  ]);
}

export async function deleteCertificatesBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from check_certificates where seen_at < $1", [before]);
}

interface ExpiringCertificate {
  readonly checkId: string;
  readonly name: string;
  readonly host: string;
  readonly expiresAt: Date;
}

/**
 * Lists the newest certificate of each host that an active check connects to, if the certificate
 * expires before the given time. The earliest expiry is first.
 */
export function listExpiringCertificates(
  db: Database,
  accountId: string,
  query: { readonly before: Date; readonly limit: number },
): Promise<ExpiringCertificate[]> {
  return runPrepared<ExpiringCertificate>(db, {
    name: "list-expiring-certificates",
    text: `select shown.check_id as "checkId", c.name, shown.host, shown.expires_at as "expiresAt"
      from (
        select distinct on (check_id, host) check_id, host, expires_at from check_certificates
        where account_id = $1 order by check_id, host, seen_at desc, expires_at desc
      ) as shown
      join checks_with_group c on c.id = shown.check_id
      where shown.expires_at < $2 and c.is_active
      order by shown.expires_at, shown.check_id limit $3`,
    values: [accountId, query.before, query.limit],
  });
}
