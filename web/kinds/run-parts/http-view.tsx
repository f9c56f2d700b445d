/** Run view that the HTTP check types share. */
import type { Schemas } from "../../api/client.ts";
import { formatBytes, formatMs } from "../../parts/figures.ts";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import type { TrialViewProps } from "../kind.ts";
import { showInLine } from "./foreign-text.ts";
import styles from "./run-parts.module.css";
import {
  Facts,
  ForeignText,
  formatDaysLeft,
  HeaderFields,
  Part,
  type Phase,
  Waterfall,
} from "./run-parts.tsx";
import { words } from "./words.ts";

/** Returns the HTTP response of an API or URL run; `null` if there was no response. */
function readAnswer({ urlCheckResult, apiCheckResult }: TrialViewProps["run"]) {
  if (urlCheckResult) {
    const { response } = urlCheckResult;
    return response.status === null ? null : { ...response, bodyError: response.bodyFault };
  }
  return apiCheckResult?.response ?? null;
}

/** Shows status, headers and body of an HTTP response. */
export function HttpAnswer({ run }: TrialViewProps) {
  const answer = readAnswer(run);
  if (answer === null) return null;
  const headers = answer.headers ?? {};
  const count = Object.keys(headers).length;
  const body = answer.bodyError ?? answer.body ?? "";
  return (
    <Stack className={styles.answer}>
      <Facts
        facts={[
          [words.status, `${answer.status} ${answer.statusText}`.trim()],
          [words.url, answer.url],
          [words.size, formatBytes(answer.bytesReceived)],
        ]}
      />
      {count > 0 && (
        <details>
          <summary>{words.headerCount(count)}</summary>
          <HeaderFields headers={headers} />
        </details>
      )}
      <details open>
        <summary>{words.body}</summary>
        {body === "" ? (
          <p className={textStyles.muted}>{words.emptyBody}</p>
        ) : (
          <ForeignText label={words.body} text={body} />
        )}
        {answer.isBodyCut && <p className={textStyles.muted}>{words.bodyCut}</p>}
      </details>
    </Stack>
  );
}

interface Phases {
  readonly wait?: number | null;
  readonly dns: number | null;
  readonly tcp: number | null;
  readonly tls: number | null;
  readonly firstByte: number | null;
  readonly download: number | null;
}

export function listPhases(phases: Phases): Phase[] {
  return [
    { name: words.inRedirects, ms: phases.wait || null },
    { name: words.dns, ms: phases.dns },
    { name: words.connect, ms: phases.tcp },
    { name: words.tls, ms: phases.tls },
    { name: words.firstByte, ms: phases.firstByte },
    { name: words.body, ms: phases.download },
  ];
}

interface Hop {
  readonly url: string;
  readonly status: number;
  readonly resolvedIp: string;
  readonly timingPhases: Phases;
}

export function Redirects({ hops }: { readonly hops: readonly Hop[] }) {
  if (hops.length === 0) return null;
  return (
    <Part title={words.redirects}>
      <table className={styles.table}>
        <tbody>
          {hops.map(({ url, status, resolvedIp, timingPhases }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: URLs may be equal
            <tr key={place}>
              <td className={styles.number}>{status}</td>
              <td>{showInLine(url)}</td>
              <td>{resolvedIp}</td>
              <td className={styles.number}>
                {formatMs(
                  listPhases(timingPhases).reduce((sum, phase) => sum + (phase.ms ?? 0), 0),
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}

export function PhasesPart({ phases }: { readonly phases: Phases }) {
  const listed = listPhases(phases);
  if (listed.every(({ ms }) => ms === null)) return null;
  return (
    <Part title={words.phases}>
      <Waterfall phases={listed} />
    </Part>
  );
}

interface Answer {
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: string | null;
  readonly isBodyCut: boolean;
}

export function AnswerPart({ headers, body, isBodyCut }: Answer) {
  if (headers === null && body === null) {
    return <p className={textStyles.muted}>{words.notKept}</p>;
  }
  return (
    <>
      {headers !== null && Object.keys(headers).length > 0 && (
        <Part title={words.headers}>
          <HeaderFields headers={headers} />
        </Part>
      )}
      {body !== null && body !== "" && (
        <Part title={words.body}>
          <ForeignText label={words.body} text={body} />
          {isBodyCut && <p className={textStyles.muted}>{words.bodyCut}</p>}
        </Part>
      )}
    </>
  );
}

export function TlsPart({ tls }: { readonly tls: Schemas["TlsSummary"] | null }) {
  if (tls === null) return null;
  return (
    <Part title={words.certificate}>
      <Facts
        facts={[
          [words.validTo, <DateTime key="at" at={tls.validTo} />],
          [words.expires, formatDaysLeft(tls.daysUntilExpiry)],
          [words.issuer, tls.issuerCN],
          [words.forHost, tls.hostnameVerified ? words.yes : words.no],
          [words.trusted, tls.trustError ?? words.yes],
          [words.protocol, tls.tlsVersion],
          [words.cipher, tls.cipherSuite],
        ]}
      />
    </Part>
  );
}
