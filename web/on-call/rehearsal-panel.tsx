import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { contactWords } from "../alerts/index.ts";
import { ApiError } from "../api/api-error.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { Callout } from "../parts/blocks.tsx";
import { LinkButton } from "../parts/buttons.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FieldRow } from "../parts/form.tsx";
import { listWithKeys } from "../parts/keys.ts";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import { ownZone } from "../parts/time-zones.ts";
import styles from "./on-call.module.css";
import { type Rehearsal, type RehearsalInput, rehearsalQuery } from "./queries.ts";
import {
  findWaitEnd,
  listTimes,
  type RehearsedLine,
  type RehearsedTime,
  summarizeRehearsal,
} from "./rehearsal-sentences.ts";
import { formatField, formatShort, parseField } from "./times.ts";
import { hasAllTargets, type PolicyValues } from "./values.ts";
import { words } from "./words.ts";

const own = words.rehearsal;
const maxTimes = 12;
type Urgency = Rehearsal["urgency"];

function Line({ who, via, reason, note, place }: RehearsedLine) {
  return (
    <li className={textStyles.wrap}>
      {who !== null && (
        <>
          <strong>
            <bdi>{who}</bdi>
          </strong>
          {via !== null && (
            <>
              {", "}
              <bdi>{via}</bdi>
            </>
          )}{" "}
        </>
      )}
      {reason !== null && <span className={textStyles.fair}>{reason} </span>}
      <span className={textStyles.hint}>
        <bdi>{place}</bdi>
        {note !== null && `. ${note}`}
      </span>
    </li>
  );
}

function Times({ times }: { readonly times: readonly RehearsedTime[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? times : times.slice(0, maxTimes);
  const count = times.reduce((sum, { lines }) => sum + lines.length, 0);
  return (
    <>
      <ol className={listStyles.list} aria-label={own.title}>
        {shown.map(({ at, when, lines }) => (
          <li key={at} className={styles.rehearsed}>
            <div>
              <strong>{when}</strong>
              <br />
              <span className={textStyles.hint}>
                <DateTime at={at} />
              </span>
            </div>
            <Stack as="ul" gap={1}>
              {listWithKeys(lines, JSON.stringify).map(({ key, item }) => (
                <Line key={key} {...item} />
              ))}
            </Stack>
          </li>
        ))}
      </ol>
      {shown.length < times.length && (
        <p>
          <LinkButton onClick={() => setWhole(true)}>{own.showAll(count)}</LinkButton>
        </p>
      )}
    </>
  );
}

/** Shows whom a policy would reach, when and by which contact method. */
export function RehearsalResult({ rehearsal }: { readonly rehearsal: Rehearsal }) {
  const { tone, sentence } = summarizeRehearsal(rehearsal);
  const waitsUntil = findWaitEnd(rehearsal);
  return (
    <>
      <Callout tone={tone} role="status">
        <p>
          <strong>
            <bdi>{sentence}</bdi>
          </strong>
        </p>
        {waitsUntil !== null && <p>{own.waits(formatShort(waitsUntil))}</p>}
      </Callout>
      <Times times={listTimes(rehearsal)} />
      <p className={textStyles.hint}>
        {own.assumes} {words.inZone(ownZone)}.
      </p>
    </>
  );
}

/** Shows whom a policy would alert, and updates the result while the policy is edited. */
function Rehearsed({ text }: { readonly text: string }) {
  const { data, error, isFetching, refetch } = useQuery(
    rehearsalQuery(JSON.parse(text) as RehearsalInput),
  );
  return (
    <Stack gap={3} aria-busy={isFetching}>
      {error instanceof ApiError && error.status === 400 && (
        <p className={textStyles.fault} role="alert">
          {own.rejected}: {error.message}
        </p>
      )}
      {error !== null && !(error instanceof ApiError && error.status === 400) && (
        <ErrorPanel error={error} title={own.notLoaded} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data !== undefined && error === null && <RehearsalResult rehearsal={data} />}
    </Stack>
  );
}

/** Shows whom the edited policy would alert, even before the policy is saved. */
export function RehearsalPanel({ values }: { readonly values: PolicyValues }) {
  const client = useQueryClient();
  const [at, setAt] = useState(() => formatField(Date.now()));
  const [urgency, setUrgency] = useState<Urgency>("HIGH");
  const [isShown, setShown] = useState(false);
  const startsAt = parseField(at);
  const canRehearse = hasAllTargets(values) && startsAt !== null;
  const { name: _name, ...rules } = values;
  // The request is deferred, so that typing stays responsive.
  const text = useDeferredValue(canRehearse ? JSON.stringify({ ...rules, startsAt, urgency }) : "");
  return (
    <Stack
      as="form"
      gap={3}
      aria-labelledby="rehearsal"
      onSubmit={(event) => {
        event.preventDefault();
        if (isShown) void renewQueries(client, ["on-call", "rehearsal"]);
        setShown(true);
      }}
    >
      <h2 id="rehearsal">{own.title}</h2>
      <p className={textStyles.hint}>{own.hint}</p>
      <FieldRow>
        <TextInput
          type="datetime-local"
          label={own.at}
          value={at}
          onChange={({ currentTarget }) => setAt(currentTarget.value)}
        />
        <NativeSelect
          label={own.urgency}
          value={urgency}
          data={[
            { value: "HIGH", label: contactWords.high },
            { value: "LOW", label: contactWords.low },
          ]}
          onChange={({ currentTarget: { value } }) => setUrgency(value === "LOW" ? "LOW" : "HIGH")}
        />
      </FieldRow>
      {!hasAllTargets(values) && <p className={textStyles.muted}>{own.waiting}</p>}
      <Row>
        <Button type="submit" variant="default" disabled={!canRehearse}>
          {own.rehearse}
        </Button>
      </Row>
      {isShown && text !== "" && <Rehearsed text={text} />}
    </Stack>
  );
}
