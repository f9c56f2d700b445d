import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { IconButton } from "../parts/buttons.tsx";
import { CheckPicker, type ChosenCheck } from "../parts/check-picker.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatCount, formatPercent } from "../parts/figures.ts";
import { CloseIcon } from "../parts/icons.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { StateMark, stateWords } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { findAvailability, findGroupState, listStateCounts } from "./group-state.ts";
import styles from "./groups.module.css";
import { membersQuery, stateCountsQuery } from "./queries.ts";
import { words } from "./words.ts";

/** Moves checks into a group, or out of it if `groupId` is `null`, and reports failures. */
function useMove() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (move: { readonly ids: string[]; readonly groupId: number | null }) => {
      const body = { ...move, action: "move" } as const;
      const { checks } = await send(api.POST("/v1/checks/bulk", { body }));
      return checks;
    },
    onSuccess: (checks, { groupId }) => {
      const moved = checks.filter(({ outcome }) => outcome === "changed").length;
      const [refused] = checks.flatMap(({ message }) => message ?? []);
      if (moved > 0)
        showNotice({ text: groupId === null ? words.left(moved) : words.joined(moved) });
      if (refused !== undefined) showNotice({ text: words.notMoved(refused), tone: "bad" });
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(client, ["checks"]),
  });
}

function AddMembers({ id }: { readonly id: number }) {
  const [chosen, setChosen] = useState<readonly ChosenCheck[]>([]);
  const move = useMove();
  return (
    <Stack>
      <CheckPicker
        label={words.addChecks}
        hint={words.addChecksHint}
        chosen={chosen}
        formatRemoveLabel={words.unchoose}
        onChange={setChosen}
      />
      {chosen.length > 0 && (
        <div>
          <Button
            loading={move.isPending}
            onClick={() =>
              move.mutate(
                { ids: chosen.map((check) => check.id), groupId: id },
                { onSuccess: () => setChosen([]) },
              )
            }
          >
            {words.addChosen(chosen.length)}
          </Button>
        </div>
      )}
    </Stack>
  );
}

/** Shows the worst state of a group, the number of checks per state, and the availability. */
export function GroupSummary({ id }: { readonly id: number }) {
  const { data: counts } = useQuery(stateCountsQuery(id));
  const { data: members } = useQuery(membersQuery(id));
  if (counts === undefined || members === undefined) return <Skeleton rows={1} />;
  const states = listStateCounts(counts);
  const state = findGroupState(states);
  if (state === null) return null;
  const availability = findAvailability(members.entries);
  return (
    <Row gap={6} tight className={styles.summary}>
      <StateMark state={state} size={20} hasWord />
      <Row as="ul" gap={3} tight aria-label={words.states}>
        {states.map(({ state: one, count }) => (
          <li key={one}>
            <Link to="/checks" search={{ groupId: [`${id}`], state: [one] }}>
              {formatCount(count)} {stateWords[one].toLowerCase()}
            </Link>
          </li>
        ))}
      </Row>
      <p>
        {words.availability}{" "}
        {availability === null ? (
          words.notEnough
        ) : (
          <>
            <strong>{formatPercent(availability.mean)}</strong>
            {availability.count > 1 && availability.worst.availability < 100 && (
              <span className={styles.faint}>
                {" "}
                {words.worst} <bdi>{availability.worst.name}</bdi>,{" "}
                {formatPercent(availability.worst.availability)}
              </span>
            )}
          </>
        )}
      </p>
    </Row>
  );
}

/** Lists the checks of a group, with a field that adds checks. */
export function GroupMembers({ id }: { readonly id: number }) {
  const mayWrite = useMay("write");
  const move = useMove();
  const { data, error, refetch } = useQuery(membersQuery(id));
  if (error && data === undefined) {
    return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton rows={3} />;
  return (
    <>
      {data.total === 0 && <p className={styles.faint}>{words.noMembers}</p>}
      <ul className={listStyles.list}>
        {data.entries.map(({ checkId, state, name, target, availability, hasEnoughData }) => (
          <Row as="li" tight key={checkId} className={listStyles.item}>
            <StateMark state={state} />
            <span className={layoutStyles.fill}>
              <Link to="/checks/$checkId" params={{ checkId }}>
                <bdi>{name}</bdi>
              </Link>{" "}
              {target !== name && <bdi className={styles.faint}>{target}</bdi>}
            </span>
            <span className={`${textStyles.nowrap} ${textStyles.end}`}>
              {hasEnoughData && formatPercent(availability)}
            </span>
            {mayWrite && (
              <IconButton
                aria-label={words.remove(name)}
                title={words.remove(name)}
                disabled={move.isPending}
                onClick={() => move.mutate({ ids: [checkId], groupId: null })}
              >
                <CloseIcon size={16} />
              </IconButton>
            )}
          </Row>
        ))}
      </ul>
      {data.total > 0 && (
        <Link to="/checks" search={{ groupId: [`${id}`] }}>
          {words.allMembers} ({words.memberCount(data.total)})
        </Link>
      )}
      {mayWrite && <AddMembers id={id} />}
    </>
  );
}
