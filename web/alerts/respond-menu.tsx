import { Button, Menu, Modal, NativeSelect } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { MoreIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { formatDateTime } from "../parts/time.tsx";
import { pageTargetsQuery } from "./contacts/queries.ts";
import { storyWords } from "./story-words.ts";
import { words } from "./words.ts";

const own = storyWords.response;

interface RespondMenuProps {
  readonly checkId: string;
  readonly name: string;
}

const minuteMs = 60_000;
const snoozeMinutes = [15, 60, 240] as const;
const maxSnoozeMinutes = 1_440;
const morningHour = 9;

/**
 * Returns the minutes until the next 09:00, or `null` if an alert cannot be snoozed for this
 * duration.
 */
export function countUntilMorning(nowMs: number): number | null {
  const at = new Date(nowMs);
  const day = at.getDate() + (at.getHours() < morningHour ? 0 : 1);
  const end = new Date(at.getFullYear(), at.getMonth(), day, morningHour);
  const minutes = Math.ceil((end.getTime() - nowMs) / minuteMs);
  return minutes >= snoozeMinutes[0] && minutes <= maxSnoozeMinutes ? minutes : null;
}

interface ReassignFormProps extends RespondMenuProps {
  readonly onClose: () => void;
}

function ReassignForm({ checkId, onClose }: ReassignFormProps) {
  const queryClient = useQueryClient();
  const { data: targets, error: failure, refetch } = useQuery(pageTargetsQuery);
  const [chosen, setChosen] = useState("");
  const reassign = useMutation({
    mutationFn: () => {
      const [field = "", id = ""] = chosen.split(":");
      const body = field === "userId" ? { userId: id } : { scheduleId: id };
      const params = { path: { checkId } };
      return send(api.POST("/v1/check-alerts/{checkId}/reassign", { params, body }));
    },
    onSuccess: ({ summary }) => {
      showNotice({ text: summary });
      onClose();
    },
    onSettled: () => renewQueries(queryClient, ["alerts"]),
  });
  const group = (field: string, label: string) => ({
    group: label,
    items: [...(targets?.get(field) ?? [])].map(([id, name]) => ({
      ...{ value: `${field}:${id}`, label: name },
    })),
  });
  const groups = [group("scheduleId", own.schedules), group("userId", own.members)];
  if (failure) return <ErrorPanel error={failure} title={words.loadFailed} onRetry={refetch} />;
  return (
    <Stack
      as="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== "") reassign.mutate();
      }}
    >
      <NativeSelect
        label={own.reassignTo}
        description={own.reassignHint}
        value={chosen}
        data={[{ value: "", label: own.choose }, ...groups.filter(({ items }) => items.length > 0)]}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      {reassign.error && <ErrorPanel error={reassign.error} />}
      <Row nowrap justify="end">
        <Button variant="default" onClick={onClose}>
          {own.cancel}
        </Button>
        <Button type="submit" loading={reassign.isPending} disabled={chosen === ""}>
          {own.reassign}
        </Button>
      </Row>
    </Stack>
  );
}

/** Menu to snooze, reassign or escalate an open alert. */
export function RespondMenu(props: RespondMenuProps) {
  const { checkId, name } = props;
  const queryClient = useQueryClient();
  const [isReassigning, setReassigning] = useState(false);
  const path = { params: { path: { checkId } } };
  const outcome = {
    onError: (error: Error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["alerts"]),
  };
  const snooze = useMutation({
    mutationFn: (minutes: number) =>
      send(api.POST("/v1/check-alerts/{checkId}/snooze", { ...path, body: { minutes } })),
    onSuccess: ({ snoozedUntil }) =>
      showNotice({ text: own.snoozed(snoozedUntil === null ? "" : formatDateTime(snoozedUntil)) }),
    ...outcome,
  });
  const escalate = useMutation({
    mutationFn: () => send(api.POST("/v1/check-alerts/{checkId}/escalate", path)),
    onSuccess: ({ summary }) => showNotice({ text: summary }),
    ...outcome,
  });
  const untilMorning = countUntilMorning(Date.now());
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            aria-label={own.respond(name)}
            loading={snooze.isPending || escalate.isPending}
          >
            <MoreIcon size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {snoozeMinutes.map((minutes) => (
            <Menu.Item key={minutes} onClick={() => snooze.mutate(minutes)}>
              {own.snooze[minutes]}
            </Menu.Item>
          ))}
          {untilMorning !== null && (
            <Menu.Item onClick={() => snooze.mutate(untilMorning)}>{own.snooze.morning}</Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item onClick={() => setReassigning(true)}>{own.reassignMore}</Menu.Item>
          <Menu.Item onClick={() => escalate.mutate()}>{own.escalate}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={isReassigning}
        onClose={() => setReassigning(false)}
        title={own.reassignNamed(name)}
        closeButtonProps={{ "aria-label": own.cancel }}
      >
        {isReassigning && <ReassignForm {...props} onClose={() => setReassigning(false)} />}
      </Modal>
    </>
  );
}
