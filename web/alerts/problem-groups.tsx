import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { useLocationName } from "../locations/index.ts";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { Lasting } from "../parts/time.tsx";
import type { By } from "./alert-search.ts";
import styles from "./problem-groups.module.css";
import { words } from "./words.ts";

const own = words.groups;
export type Group = Schemas["TroubleGroup"];

interface GroupBySelectProps {
  readonly by: By;
  readonly onChange: (by: By) => void;
}

export function GroupBySelect({ by, onChange }: GroupBySelectProps) {
  return (
    <NativeSelect
      aria-label={own.by}
      value={by}
      data={Object.entries(own.choices).map(([value, label]) => ({ value, label }))}
      onChange={({ currentTarget }) => onChange(currentTarget.value as By)}
    />
  );
}

/** Acknowledges all unacknowledged alerts of a group's checks in one request. */
function AcknowledgeAll({ group, name }: { readonly group: Group; readonly name: string }) {
  const queryClient = useQueryClient();
  const checkIds = group.checks
    .filter(({ isAlerted, isAcknowledged }) => isAlerted && !isAcknowledged)
    .map(({ checkId }) => checkId);
  const acknowledge = useMutation({
    mutationFn: () => send(api.POST("/v1/check-alerts/acknowledge", { body: { checkIds } })),
    onSuccess: ({ acknowledged }) => showNotice({ text: own.acknowledged(acknowledged) }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () =>
      Promise.all(["now", "alerts"].map((room) => renewQueries(queryClient, [room]))),
  });
  if (checkIds.length === 0) return null;
  return (
    <Button
      variant="default"
      loading={acknowledge.isPending}
      aria-label={`${own.acknowledgeAll(checkIds.length)}: ${name}`}
      onClick={() => acknowledge.mutate()}
    >
      {own.acknowledgeAll(checkIds.length)}
    </Button>
  );
}

function GroupCard({ group, by }: { readonly group: Group; readonly by: By }) {
  const mayRun = useMay("run");
  const nameOf = useLocationName();
  const { label, checks, failing, degraded, since } = group;
  const alerted = checks.filter(({ isAlerted }) => isAlerted);
  const isDone = alerted.length > 0 && alerted.every(({ isAcknowledged }) => isAcknowledged);
  const name = label === null ? own.none[by] : by === "location" ? nameOf(label) : label;
  return (
    <Stack as="li" gap={2} className={styles.group}>
      <Row gap={3} tight className={styles.head}>
        <StateMark state={failing > 0 ? "failing" : "degraded"} size={20} />
        <h3 className={styles.name}>
          <bdi>{name}</bdi>
        </h3>
        <span className={textStyles.muted}>
          {own.count(failing, degraded)}, {words.list.for} <Lasting since={since} />
        </span>
        {isDone && <span className={textStyles.muted}>{words.list.acknowledged}</span>}
        {mayRun && <AcknowledgeAll group={group} name={name} />}
      </Row>
      <details>
        <summary>{own.show(checks.length)}</summary>
        <ul className={styles.checks}>
          {checks.map(({ checkId, name: checkName, status, isAcknowledged }) => (
            <li key={checkId}>
              <StateMark state={status} />
              <Link to="/checks/$checkId" params={{ checkId }}>
                <bdi>{checkName}</bdi>
              </Link>
              {isAcknowledged && (
                <span className={textStyles.muted}>{words.list.acknowledged}</span>
              )}
            </li>
          ))}
        </ul>
      </details>
    </Stack>
  );
}

/** Lists the checks that have problems, grouped by cause, group, tag or location. */
export function ProblemGroups(props: { readonly groups: readonly Group[]; readonly by: By }) {
  return (
    <Stack as="ul" gap={2}>
      {props.groups.map((group) => (
        <GroupCard key={group.key} group={group} by={props.by} />
      ))}
    </Stack>
  );
}
