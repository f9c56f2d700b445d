import { formatCount, formatMs, formatPercent } from "../../parts/figures.ts";
import textStyles from "../../parts/text.module.css";
import type { RunViewProps, TrialViewProps } from "../kind.ts";
import { showInLine } from "../run-parts/foreign-text.ts";
import tableStyles from "../run-parts/run-parts.module.css";
import { Facts, Part, RunError } from "../run-parts/run-parts.tsx";
import { words as shared } from "../run-parts/words.ts";
import styles from "./run-view.module.css";

type Response = NonNullable<RunViewProps["run"]["tracerouteCheckResult"]>["response"];
type Hop = Response["hops"][number];

const words = {
  target: "Target",
  reached: "Reached",
  yes: "yes",
  no: "no",
  end: "End",
  hopCount: "Hops",
  protocol: "Protocol",
  substitute: (used: string, requested: string) =>
    `${used}, because this probe may not send ${requested} probes`,
  path: "Path",
  hop: "Hop",
  host: "Host",
  silent: "no response",
  range: (best: string, worst: string) => `${best} to ${worst}`,
  labels: (list: string) => `MPLS ${list}`,
  also: "also",
  loop: (hops: readonly number[]) => `Loop: this address is hop ${hops.join(", ")}.`,
  ignored: "Ignored packets",
  mode: "Sockets",
} as const;

const ends: Readonly<Record<NonNullable<Response["truncationReason"]>, string>> = {
  destinationReached: "target reached",
  maxHops: "maximum number of hops",
  maxUnknownHops: "too many silent hops",
  timeout: "timeout",
  unreachable: "a router reported an error",
  packetTooBig: "packet too big for a link",
  loop: "loop",
};

function describeProtocol({ probeProtocol, protocol, port }: Response): string {
  const used = port === null ? probeProtocol : `${probeProtocol} ${port}`;
  return probeProtocol === protocol ? used : words.substitute(used, protocol);
}

/** Draws the range of a hop's round trips, on a scale that all hops share. */
function RttBar({ rtt, longestMs }: { readonly rtt: Hop["rtt"]; readonly longestMs: number }) {
  const place = (ms: number | null) => (1_000 * (ms ?? 0)) / longestMs;
  const best = place(rtt.best_ms);
  const width = Math.max(place(rtt.worst_ms) - best, 6);
  return (
    <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" className={styles.bar}>
      <rect x={0} y={4} width={best} height={2} />
      <rect x={Math.min(best, 1_000 - width)} y={1} width={width} height={8} />
    </svg>
  );
}

interface HopRowProps {
  readonly hop: Hop;
  readonly longestMs: number;
  readonly isTarget: boolean;
  readonly loop: Response["loop"];
}

function HopRow({ hop, longestMs, isTarget, loop }: HopRowProps) {
  const { rtt } = hop;
  const isSilent = hop.received === 0;
  const time = (ms: number | null) => (ms === null ? "" : formatMs(ms));
  const isInLoop = loop?.hops.includes(hop.hop_number) && hop.main_ip === loop.address;
  return (
    <tr>
      <td className={tableStyles.number}>{hop.hop_number}</td>
      <td>
        {isSilent ? (
          <span className={textStyles.muted}>{words.silent}</span>
        ) : (
          hop.addresses.map(({ ip, host }, index) => (
            <div key={ip}>
              {index > 0 && <span className={textStyles.muted}>{words.also} </span>}
              <span className={textStyles.mono}>{showInLine(ip)}</span>
              {index === 0 && isTarget && (
                <span className={textStyles.strong}> {words.target}</span>
              )}
              {host !== null && (
                <div className={`${textStyles.muted} ${textStyles.small}`}>{showInLine(host)}</div>
              )}
            </div>
          ))
        )}
        {hop.error !== null && !isTarget && (
          <div className={textStyles.bad}>{showInLine(hop.error.message)}</div>
        )}
        {isInLoop && <div className={textStyles.bad}>{words.loop(loop?.hops ?? [])}</div>}
        {hop.mpls.length > 0 && (
          <div className={`${textStyles.muted} ${textStyles.small}`}>
            {words.labels(hop.mpls.map(({ label }) => label).join(", "))}
          </div>
        )}
      </td>
      <td className={tableStyles.number} data-lossy={hop.loss_percentage > 0}>
        {formatPercent(hop.loss_percentage)}
      </td>
      <td className={styles.rtt}>
        {!isSilent && (
          <>
            <span>{time(rtt.avg_ms)}</span>
            <RttBar rtt={rtt} longestMs={longestMs} />
            <span className={`${textStyles.muted} ${textStyles.small}`}>
              {words.range(time(rtt.best_ms), time(rtt.worst_ms))}
            </span>
          </>
        )}
      </td>
    </tr>
  );
}

function Hops({ response }: { readonly response: Response }) {
  const { hops, destinationReached, loop } = response;
  const longestMs = Math.max(0.001, ...hops.map(({ rtt }) => rtt.worst_ms ?? 0));
  return (
    <table className={`${tableStyles.table} ${styles.hops}`}>
      <caption className="unseen">{words.path}</caption>
      <thead>
        <tr>
          <th scope="col" className={tableStyles.number}>
            {words.hop}
          </th>
          <th scope="col">{words.host}</th>
          <th scope="col" className={tableStyles.number}>
            {shared.loss}
          </th>
          <th scope="col">{shared.roundTrip}</th>
        </tr>
      </thead>
      <tbody>
        {hops.map((hop, index) => (
          <HopRow
            key={hop.hop_number}
            hop={hop}
            longestMs={longestMs}
            isTarget={destinationReached && index === hops.length - 1}
            loop={loop}
          />
        ))}
      </tbody>
    </table>
  );
}

export function TracerouteRunView({ run }: TrialViewProps) {
  const response = run.tracerouteCheckResult?.response;
  if (response === undefined) return <RunError error={{}} />;
  const { finalHopLatency: latency, truncationReason, hops } = response;
  const time = (ms: number | null | undefined) => (typeof ms === "number" ? formatMs(ms) : null);
  const wasTraced = truncationReason !== null;
  return (
    <>
      <RunError error={response.error} />
      <Facts
        facts={[
          [words.reached, wasTraced ? (response.destinationReached ? words.yes : words.no) : null],
          [words.end, truncationReason && ends[truncationReason]],
          [words.hopCount, wasTraced ? formatCount(response.totalHops) : null],
          [shared.average, time(latency?.avg)],
          [shared.shortest, time(latency?.min)],
          [shared.longest, time(latency?.max)],
          [shared.loss, response.packetLoss === null ? null : formatPercent(response.packetLoss)],
          [shared.host, response.hostname],
          [shared.address, response.resolvedIp],
          [words.protocol, describeProtocol(response)],
          [shared.nameResolution, time(response.timingPhases.dns)],
          [
            words.ignored,
            response.ignoredPackets === 0 ? null : formatCount(response.ignoredPackets),
          ],
        ]}
      />
      {hops.length > 0 && (
        <Part title={words.path}>
          <Hops response={response} />
        </Part>
      )}
    </>
  );
}
