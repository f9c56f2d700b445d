import type { RunViewProps } from "../kind.ts";
import { Facts, ForeignText, Part, RunError } from "../run-parts/run-parts.tsx";

const words = {
  state: "State",
  severity: "Severity",
  firing: "Firing",
  resolved: "Resolved",
  receiver: "Receiver",
  group: "Alert group",
  source: "Alertmanager",
  since: "Since",
  graph: "Graph",
  text: "Labels and annotations",
} as const;

type Texts = Readonly<Record<string, string>>;

/** Formats labels and annotations as one `name: text` line each. */
const writeTexts = (...all: readonly Texts[]) =>
  all
    .flatMap((texts) => Object.entries(texts).map(([name, text]) => `${name}: ${text}`))
    .join("\n");

/** Creates a link. The URL is safe, because the server stores only http and https URLs. */
const toLink = (url: string | null) =>
  url === null ? null : (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  );

export function AlertGroupRunView({ run }: RunViewProps) {
  const found = run.alertGroupCheckResult;
  if (!found) return <RunError error={{}} />;
  const { status, severity, firingCount, resolvedCount, receiver, externalUrl, groupKey } = found;
  return (
    <>
      <RunError error={found.error} />
      <Facts
        facts={[
          [words.state, status],
          [words.severity, severity],
          [words.firing, firingCount === null ? null : String(firingCount)],
          [words.resolved, resolvedCount === null ? null : String(resolvedCount)],
          [words.receiver, receiver],
          [words.group, groupKey],
          [words.source, toLink(externalUrl)],
        ]}
      />
      {(found.alerts ?? []).map((alert, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <Part key={place} title={`${alert.labels.alertname ?? words.group}: ${alert.status}`}>
          <Facts
            facts={[
              [words.since, alert.startsAt],
              [words.graph, toLink(alert.generatorUrl)],
            ]}
          />
          <ForeignText label={words.text} text={writeTexts(alert.labels, alert.annotations)} />
        </Part>
      ))}
    </>
  );
}
