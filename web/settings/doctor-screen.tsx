import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import type { Schemas } from "../api/client.ts";
import { useMay } from "../api/session.ts";
import { CopyButton } from "../parts/buttons.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatCount } from "../parts/figures.ts";
import { Row, ScreenBody, Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { Ago } from "../parts/time.tsx";
import styles from "./doctor.module.css";
import { doctorWords as own } from "./installation-words.ts";
import { doctorQuery } from "./queries.ts";
import settings from "./settings.module.css";
import { words } from "./words.ts";

type Diagnosis = Schemas["Diagnosis"];
type Finding = Diagnosis["findings"][number];

const marks = { fail: "failing", warn: "degraded", ok: "passing" } as const;

function FindingRow({ finding }: { readonly finding: Finding }) {
  const { area, level, sentence, fix } = finding;
  return (
    <li className={styles.finding}>
      <StateMark state={marks[level]} word={own.levels[level]} />
      <span className={textStyles.muted}>{area}</span>
      <Stack gap={1} className={`${styles.text} ${textStyles.wrap}`}>
        <span>{sentence}</span>
        {fix !== null && (
          <Stack gap={1}>
            <span className={textStyles.muted}>{own.whatToDo}</span>
            <pre className={textStyles.lines}>{fix}</pre>
          </Stack>
        )}
      </Stack>
    </li>
  );
}

/** Lists the findings of a diagnosis. The server sorts them by severity, worst first. */
function Findings({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { findings, level, lookedAt } = diagnosis;
  return (
    <>
      {level === "ok" && <p>{own.allFine}</p>}
      {(["fail", "warn", "ok"] as const).map((one) => {
        const group = findings.filter((finding) => finding.level === one);
        if (group.length === 0) return null;
        return (
          <Stack as="section" key={one}>
            <h2>
              {own.levels[one]}{" "}
              <span className={textStyles.muted}>{formatCount(group.length)}</span>
            </h2>
            <ul>
              {group.map((finding) => (
                <FindingRow key={`${finding.area} ${finding.sentence}`} finding={finding} />
              ))}
            </ul>
          </Stack>
        );
      })}
      <p className={textStyles.muted}>
        {own.lookedAt} <Ago at={lookedAt} />
      </p>
    </>
  );
}

function DoctorScreen() {
  const isAdmin = useMay("admin");
  const { data, error, refetch, isFetching } = useQuery({ ...doctorQuery, enabled: isAdmin });
  return (
    <>
      <PageHeader
        title={own.title}
        actions={
          isAdmin && (
            <Button variant="default" loading={isFetching} onClick={() => refetch()}>
              {own.again}
            </Button>
          )
        }
      />
      <ScreenBody className={settings.body}>
        {!isAdmin && <p>{words.adminOnly}</p>}
        {isAdmin && (
          <Row as="p" className={textStyles.muted}>
            {own.intro} <code>{own.command}</code> <CopyButton text={own.command} />
          </Row>
        )}
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {isAdmin && !error && data === undefined && <Skeleton rows={12} />}
        {data && <Findings diagnosis={data} />}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/doctor")({ component: DoctorScreen });
