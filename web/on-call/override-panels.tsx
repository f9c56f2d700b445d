import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay, useSession } from "../api/session.ts";
import { getFieldError } from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FieldRow } from "../parts/form.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import {
  type Override,
  overridesQuery,
  peopleQuery,
  type Schedule,
  type Swap,
  swapsQuery,
} from "./queries.ts";
import { formatField, formatShort, parseField } from "./times.ts";
import { words } from "./words.ts";

interface PanelProps {
  readonly schedule: Schedule;
}

const hourMs = 3_600_000;
const showError = (error: Error) => showNotice({ text: error.message, tone: "bad" });

/** Returns a mutation that changes the schedule and shows whether the change succeeded. */
function useChange<Input>(
  change: (input: Input) => Promise<unknown>,
  done: (input: Input) => string,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (_data, input) => {
      showNotice({ text: done(input) });
      void renewQueries(client, ["on-call"]);
    },
    onError: showError,
  });
}

function OverrideRow({ override }: { readonly override: Override }) {
  const mayWrite = useMay("write");
  const { id, scheduleId, name, from, to, reason, author } = override;
  const end = useChange(
    () => {
      const params = { path: { scheduleId, overrideId: id } };
      return send(
        api.DELETE("/v1/on-call/schedules/{scheduleId}/overrides/{overrideId}", { params }),
      );
    },
    () => words.overrides.ended,
  );
  return (
    <li>
      <Row justify="between" className={listStyles.item}>
        <Stack gap={0}>
          <span>
            <strong>
              <bdi>{name ?? words.nobody}</bdi>
            </strong>
            {`, ${formatShort(from)} – ${formatShort(to)}`}
          </span>
          <span className={textStyles.hint}>
            {reason !== null && `${reason}, `}
            {words.overrides.by(author)}
          </span>
        </Stack>
        {mayWrite && (
          <Button
            variant="default"
            size="xs"
            loading={end.isPending}
            aria-label={words.overrides.endLabel(name ?? words.nobody)}
            onClick={() => end.mutate()}
          >
            {words.overrides.end}
          </Button>
        )}
      </Row>
    </li>
  );
}

const nobodyValue = "nobody";

function AddOverride({ schedule }: PanelProps) {
  const { user } = useSession();
  const { data: members = [] } = useQuery(peopleQuery);
  const [person, setPerson] = useState<string>(user.id);
  const [from, setFrom] = useState(() => formatField(Date.now()));
  const [to, setTo] = useState(() => formatField(Date.now() + 8 * hourMs));
  const [reason, setReason] = useState("");
  const own = words.overrides;
  const add = useChange(
    () => {
      const body = {
        userId: person === nobodyValue ? null : person,
        from: parseField(from) ?? "",
        to: parseField(to) ?? "",
        reason: reason.trim() || null,
      };
      const params = { path: { scheduleId: schedule.id } };
      return send(api.POST("/v1/on-call/schedules/{scheduleId}/overrides", { params, body }));
    },
    () => own.added,
  );
  return (
    <Stack
      as="form"
      gap={3}
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <NativeSelect
        label={own.person}
        value={person}
        data={[
          ...members.map(({ userId, name }) => ({ value: userId, label: name })),
          { value: nobodyValue, label: words.nobody },
        ]}
        error={getFieldError(add.error, "userId")}
        onChange={({ currentTarget }) => setPerson(currentTarget.value)}
      />
      <FieldRow>
        <TextInput
          type="datetime-local"
          label={own.from}
          value={from}
          error={getFieldError(add.error, "from")}
          onChange={({ currentTarget }) => setFrom(currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          label={own.to}
          value={to}
          error={getFieldError(add.error, "to")}
          onChange={({ currentTarget }) => setTo(currentTarget.value)}
        />
      </FieldRow>
      <TextInput
        label={own.reason}
        value={reason}
        maxLength={500}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <Row>
        <Button type="submit" variant="default" loading={add.isPending} disabled={!from || !to}>
          {own.add}
        </Button>
      </Row>
    </Stack>
  );
}

function SwapRow({ swap }: { readonly swap: Swap }) {
  const { user } = useSession();
  const { id: swapId, scheduleId, requesterName, withName, withUserId, give, take } = swap;
  const params = { path: { scheduleId, swapId } };
  const accept = useChange(
    () => send(api.POST("/v1/on-call/schedules/{scheduleId}/swaps/{swapId}/accept", { params })),
    () => words.swaps.accepted,
  );
  const remove = useChange(
    () => send(api.DELETE("/v1/on-call/schedules/{scheduleId}/swaps/{swapId}", { params })),
    () => words.swaps.deleted,
  );
  const isAsked = user.id === withUserId;
  const isOwn = user.id === swap.requesterId;
  return (
    <li>
      <Stack gap={1} className={listStyles.item}>
        <strong>{words.swaps.line(requesterName, withName)}</strong>
        <span className={textStyles.hint}>
          {`${withName}: ${formatShort(give.from)} – ${formatShort(give.to)}; `}
          {`${requesterName}: ${formatShort(take.from)} – ${formatShort(take.to)}`}
        </span>
        <Row>
          {isAsked && (
            <Button size="xs" loading={accept.isPending} onClick={() => accept.mutate()}>
              {words.swaps.accept}
            </Button>
          )}
          {(isAsked || isOwn) && (
            <Button
              size="xs"
              variant="default"
              loading={remove.isPending}
              onClick={() => remove.mutate()}
            >
              {isAsked ? words.swaps.decline : words.swaps.withdraw}
            </Button>
          )}
        </Row>
      </Stack>
    </li>
  );
}

const swapFields = ["giveFrom", "giveTo", "takeFrom", "takeTo"] as const;
type SwapTimes = Readonly<Record<(typeof swapFields)[number], string>>;
const noTimes: SwapTimes = { giveFrom: "", giveTo: "", takeFrom: "", takeTo: "" };

function ProposeSwap({ schedule }: PanelProps) {
  const { user } = useSession();
  const { data: members = [] } = useQuery(peopleQuery);
  const others = members.filter(({ userId }) => userId !== user.id);
  const [other, setOther] = useState("");
  const [times, setTimes] = useState(noTimes);
  const own = words.swaps;
  const withUserId = other || (others[0]?.userId ?? "");
  const propose = useChange(
    () => {
      const at = (field: keyof SwapTimes) => parseField(times[field]) ?? "";
      const give = { from: at("giveFrom"), to: at("giveTo") };
      const take = { from: at("takeFrom"), to: at("takeTo") };
      const params = { path: { scheduleId: schedule.id } };
      const body = { withUserId, give, take };
      return send(api.POST("/v1/on-call/schedules/{scheduleId}/swaps", { params, body }));
    },
    () => own.proposed(others.find(({ userId }) => userId === withUserId)?.name ?? ""),
  );
  if (others.length === 0) return null;
  return (
    <details>
      <summary>{own.propose}</summary>
      <Stack
        as="form"
        gap={3}
        onSubmit={(event) => {
          event.preventDefault();
          propose.mutate();
        }}
      >
        <p className={textStyles.hint}>{own.hint}</p>
        <NativeSelect
          label={own.with}
          value={withUserId}
          data={others.map(({ userId, name }) => ({ value: userId, label: name }))}
          onChange={({ currentTarget }) => setOther(currentTarget.value)}
        />
        <FieldRow>
          {swapFields.map((field) => (
            <TextInput
              key={field}
              type="datetime-local"
              label={own[field]}
              value={times[field]}
              onChange={({ currentTarget: { value } }) =>
                setTimes((before) => ({ ...before, [field]: value }))
              }
            />
          ))}
        </FieldRow>
        <Row>
          <Button
            type="submit"
            variant="default"
            loading={propose.isPending}
            disabled={swapFields.some((field) => times[field] === "")}
          >
            {own.send}
          </Button>
        </Row>
      </Stack>
    </details>
  );
}

/** Edits the overrides and swaps of a saved schedule. */
export function OverridePanels({ schedule }: PanelProps) {
  const mayWrite = useMay("write");
  const { data: page, error, refetch } = useQuery(overridesQuery(schedule.id));
  const { data: swaps = [] } = useQuery(swapsQuery(schedule.id));
  return (
    <>
      <Stack as="section" gap={3} aria-label={words.overrides.title}>
        <h2>{words.overrides.title}</h2>
        {error && page === undefined && <ErrorPanel error={error} onRetry={() => void refetch()} />}
        {page?.entries.length === 0 && <p className={textStyles.muted}>{words.overrides.none}</p>}
        {page !== undefined && page.entries.length > 0 && (
          <ul className={listStyles.list}>
            {page.entries.map((override) => (
              <OverrideRow key={override.id} override={override} />
            ))}
          </ul>
        )}
        {mayWrite && <AddOverride schedule={schedule} />}
      </Stack>
      <Stack as="section" gap={3} aria-label={words.swaps.title}>
        <h2>{words.swaps.title}</h2>
        {swaps.length > 0 && (
          <ul className={listStyles.list}>
            {swaps.map((swap) => (
              <SwapRow key={swap.id} swap={swap} />
            ))}
          </ul>
        )}
        <ProposeSwap schedule={schedule} />
      </Stack>
    </>
  );
}
