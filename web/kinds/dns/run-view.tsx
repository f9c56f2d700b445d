import { formatCount, formatMs } from "../../parts/figures.ts";
import textStyles from "../../parts/text.module.css";
import type { RunViewProps, TrialViewProps } from "../kind.ts";
import { showInLine } from "../run-parts/foreign-text.ts";
import styles from "../run-parts/run-parts.module.css";
import { Facts, ForeignText, Part, RunError } from "../run-parts/run-parts.tsx";
import { words } from "../run-parts/words.ts";

type Response = NonNullable<RunViewProps["run"]["dnsCheckResult"]>["response"];
type Answer = NonNullable<Response["json"]>;

function Records({
  title,
  records,
}: {
  readonly title: string;
  readonly records: Answer["Answer"];
}) {
  return (
    <Part title={title}>
      {records.length === 0 ? (
        <p className={textStyles.muted}>{words.noRecords}</p>
      ) : (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{words.recordName}</th>
              <th scope="col">{words.recordType}</th>
              <th scope="col" className={styles.number}>
                {words.recordTtl}
              </th>
              <th scope="col">{words.recordData}</th>
            </tr>
          </thead>
          <tbody>
            {records.map(({ name, type, TTL, data }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: records may be equal
              <tr key={place}>
                <td>{showInLine(name)}</td>
                <td>{type}</td>
                <td className={styles.number}>{TTL} s</td>
                <td>{showInLine(data)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Part>
  );
}

const flags = ["AA", "TC", "RD", "RA", "AD", "CD"] as const;

export function DnsRunView({ run }: TrialViewProps) {
  const response = run.dnsCheckResult?.response;
  if (response === undefined) return <RunError error={{}} />;
  const { json, timings } = response;
  const server = response.nameServer ?? words.systemServer;
  return (
    <>
      <RunError error={response.error} />
      <Facts
        facts={[
          [words.code, response.responseCode],
          [words.request, `${response.query} ${response.recordType}`],
          [words.server, response.resolvedIp ? `${server} (${response.resolvedIp})` : server],
          [words.protocol, response.protocol],
          [words.byUdp, timings.udp === null ? null : formatMs(timings.udp)],
          [words.byTcp, timings.tcp === null ? null : formatMs(timings.tcp)],
          [words.queries, formatCount(response.queriesSent)],
          [words.flags, json && (flags.filter((flag) => json[flag]).join(" ") || "–")],
        ]}
      />
      {json && (
        <>
          <Records title={words.answers} records={json.Answer} />
          {json.Authority.length > 0 && (
            <Records title={words.authorities} records={json.Authority} />
          )}
          {json.Additional.length > 0 && (
            <Records title={words.additional} records={json.Additional} />
          )}
        </>
      )}
      {response.text !== "" && (
        <Part title={words.asText}>
          <ForeignText label={words.asText} text={response.text} />
        </Part>
      )}
    </>
  );
}
