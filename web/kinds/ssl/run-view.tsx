import blockStyles from "../../parts/blocks.module.css";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import type { RunViewProps, TrialViewProps } from "../kind.ts";
import { showInLine } from "../run-parts/foreign-text.ts";
import styles from "../run-parts/run-parts.module.css";
import { Facts, formatDaysLeft, Part, RunError, Waterfall } from "../run-parts/run-parts.tsx";
import { words } from "../run-parts/words.ts";

type Found = NonNullable<RunViewProps["run"]["sslCheckResult"]>;
type Certificate = NonNullable<Found["response"]["chain"]>[number];

const formatYesNo = (value: boolean | null) =>
  value === null ? null : value ? words.yes : words.no;

/**
 * Formats whether the chain is trusted. The error code is formatted as words, so that a long line
 * can wrap.
 */
function formatTrusted({ chainTrusted, chainTrustDetail }: Found["response"]): string | null {
  if (!chainTrustDetail) return formatYesNo(chainTrusted);
  return `${words.no}: ${chainTrustDetail.replaceAll("_", " ").toLowerCase()}`;
}

function CertificateView({ certificate }: { readonly certificate: Certificate }) {
  const { sans, sanCount, isCA, selfSigned } = certificate;
  const signs = [isCA && words.authority, selfSigned && words.selfSigned].filter(Boolean);
  const hidden = sanCount - sans.length;
  return (
    <Stack as="li" gap={2} className={blockStyles.quote}>
      <strong>
        {showInLine(certificate.subjectCN || certificate.subject)}
        {signs.length > 0 && <span className={textStyles.muted}> {signs.join(", ")}</span>}
      </strong>
      <Facts
        facts={[
          [words.expires, formatDaysLeft(certificate.daysUntilExpiry)],
          [words.validTo, <DateTime key="to" at={certificate.validTo} />],
          [words.issuer, certificate.issuer],
          [
            words.key,
            [certificate.keyAlgorithm, certificate.keySizeBits].filter(Boolean).join(" "),
          ],
          [words.signature, certificate.signatureAlgorithm],
          [words.serial, certificate.serialNumber],
          [words.fingerprint, certificate.fingerprintSha256],
          [
            words.names,
            sans.length === 0
              ? null
              : [...sans, ...(hidden > 0 ? [words.andMore(hidden)] : [])].join(", "),
          ],
        ]}
      />
    </Stack>
  );
}

function Findings({ found }: { readonly found: Found }) {
  const baseline = found.response.securityBaseline;
  if (baseline === null || baseline.findings.length === 0) return null;
  return (
    <Part title={words.findings}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{words.finding}</th>
            <th scope="col">{words.found}</th>
            <th scope="col">{words.limit}</th>
            <th scope="col">{words.countsAs}</th>
          </tr>
        </thead>
        <tbody>
          {baseline.findings.map(({ name, severity, found: actual, limit }) => (
            <tr key={name} data-lost={severity === "fail"}>
              <td>{name.replaceAll("-", " ")}</td>
              <td>{showInLine(actual)}</td>
              <td>{limit}</td>
              <td>{severity}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}

export function SslRunView({ run }: TrialViewProps) {
  const found = run.sslCheckResult;
  if (!found) return <RunError error={{}} />;
  const { request, response } = found;
  const { timings } = response;
  const days = response.daysUntilExpiry;
  return (
    <>
      <RunError error={found.error} />
      <Facts
        facts={[
          [words.expires, days === null ? null : formatDaysLeft(days)],
          [words.host, `${request.hostname}:${request.port}`],
          [words.address, response.resolvedIp],
          [words.trusted, formatTrusted(response)],
          [words.forHost, formatYesNo(response.hostnameVerified)],
          [words.missing, response.missingIntermediate],
          [words.protocol, response.protocol],
          [words.cipher, response.cipherSuite],
          [words.revocation, response.ocspStatus],
          [words.grade, found.baselineGrade],
        ]}
      />
      <Part title={words.phases}>
        <Waterfall
          phases={[
            { name: words.dns, ms: timings.dns },
            { name: words.connect, ms: timings.connection },
            { name: words.handshake, ms: timings.handshake },
          ]}
        />
      </Part>
      <Findings found={found} />
      {response.chain && response.chain.length > 0 && (
        <Part title={words.chain}>
          <Stack as="ol">
            {response.chain.map((certificate) => (
              <CertificateView key={certificate.fingerprintSha256} certificate={certificate} />
            ))}
          </Stack>
        </Part>
      )}
    </>
  );
}
