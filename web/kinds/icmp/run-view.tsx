import { formatCount, formatMs, formatPercent } from "../../parts/figures.ts";
import type { RunViewProps } from "../kind.ts";
import styles from "../run-parts/run-parts.module.css";
import { Facts, Part, RunError } from "../run-parts/run-parts.tsx";
import { words } from "../run-parts/words.ts";

type Response = NonNullable<RunViewProps["run"]["icmpCheckResult"]>["response"];
type Packet = Response["pingResults"][number];

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

function formatAnswer({ success, type, code }: Packet): string {
  if (success) return words.echoReply;
  return type === null ? words.lost : words.icmpType(type, code);
}

function Packets({ packets }: { readonly packets: readonly Packet[] }) {
  return (
    <table className={styles.table}>
      <caption className="unseen">{words.packets}</caption>
      <thead>
        <tr>
          <th scope="col" className={styles.number}>
            {words.sequence}
          </th>
          <th scope="col">{words.sentAt}</th>
          <th scope="col" className={styles.number}>
            {words.roundTrip}
          </th>
          <th scope="col" className={styles.number}>
            {words.ttl}
          </th>
          <th scope="col">{words.answer}</th>
        </tr>
      </thead>
      <tbody>
        {packets.map((packet) => (
          <tr key={packet.sequence} data-lost={!packet.success}>
            <td className={styles.number}>{packet.sequence}</td>
            <td className={styles.whole}>
              {packet.sentAt === null ? "–" : clock.format(new Date(packet.sentAt))}
            </td>
            <td className={styles.number}>{packet.success ? formatMs(packet.rtt) : words.lost}</td>
            <td className={styles.number}>{packet.ttl ?? "–"}</td>
            <td>{formatAnswer(packet)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function IcmpRunView({ run }: RunViewProps) {
  const response = run.icmpCheckResult?.response;
  if (response === undefined) return <RunError error={{}} />;
  const { latency, pingResults } = response;
  const count = (value: number | null) => (value === null ? null : formatCount(value));
  const time = (value: number | null) => (value === null ? null : formatMs(value));
  return (
    <>
      <RunError error={response.error} />
      <Facts
        facts={[
          [words.host, response.hostname],
          [words.address, response.resolvedIp],
          [words.loss, response.packetLoss === null ? null : formatPercent(response.packetLoss)],
          [words.sent, formatCount(response.packetsSent)],
          [words.received, formatCount(response.packetsReceived)],
          [words.average, time(latency.avg)],
          [words.shortest, time(latency.min)],
          [words.longest, time(latency.max)],
          [words.deviation, time(latency.stdDev)],
          [words.jitter, time(response.jitter)],
          [words.lossBurst, count(response.longestLossBurst)],
          [words.duplicates, count(response.duplicates)],
          [words.reordered, count(response.reordered)],
          [words.lateReplies, count(response.lateReplies)],
          [words.packetSize, response.packetSize && words.bytes(response.packetSize)],
          [words.nameResolution, time(response.dnsResolutionTime)],
        ]}
      />
      {pingResults.length > 0 && (
        <Part title={words.packets}>
          <Packets packets={pingResults} />
        </Part>
      )}
    </>
  );
}
