import { Button } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import buttonStyles from "../../parts/buttons.module.css";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { formatCount } from "../../parts/figures.ts";
import { Row } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { type ShownState, StateMark } from "../../parts/state-mark.tsx";
import tableStyles from "../../parts/table.module.css";
import textStyles from "../../parts/text.module.css";
import { Ago, DateTime } from "../../parts/time.tsx";
import styles from "./audience.module.css";
import type { AudienceSearch } from "./audience-search.ts";
import { type Delivery, deliveriesQuery } from "./queries.ts";
import { words } from "./words.ts";

interface ChoicesProps<Value extends string> {
  readonly label: string;
  /** Label of the option that shows everything. */
  readonly all: string;
  readonly options: Readonly<Record<Value, string>>;
  readonly chosen: Value | undefined;
  readonly counts?: Readonly<Record<Value | "total", number>> | undefined;
  readonly onChoose: (value: Value | undefined) => void;
}

/** Shows the values of a filter as buttons, each with the number of matching entries if known. */
export function Choices<Value extends string>(props: ChoicesProps<Value>) {
  const { label, all, options, chosen, counts, onChoose } = props;
  const values = Object.keys(options) as Value[];
  const choices = [undefined, ...values].map((value) => ({
    value,
    word: value === undefined ? all : options[value],
    count: counts?.[value ?? "total"],
  }));
  return (
    <Row as="fieldset" gap={1} aria-label={label}>
      {choices.map(({ value, word, count }) => (
        <button
          key={word}
          type="button"
          className={buttonStyles.chip}
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {word}
          {count !== undefined && <span>{formatCount(count)}</span>}
        </button>
      ))}
    </Row>
  );
}

const own = words.messages;

const marks: Readonly<Record<Delivery["status"], ShownState>> = {
  PENDING: "unknown",
  SENT: "passing",
  DEAD: "failing",
};

/** Shows the delivery status, error and next attempt of a message. */
function Outcome({ delivery }: { readonly delivery: Delivery }) {
  const { status, attempts, reason, sentAt, nextAttemptAt } = delivery;
  return (
    <>
      <StateMark state={marks[status]} word={own.outcomes[status]} hasWord />{" "}
      {sentAt !== null && <Ago at={sentAt} />}
      {reason !== null && status !== "SENT" && <span>{reason} </span>}
      {status !== "SENT" && attempts > 0 && (
        <span className={textStyles.muted}>{own.attempts(attempts)}</span>
      )}
      {nextAttemptAt !== null && attempts > 0 && (
        <span className={textStyles.muted}>
          , {own.next} <DateTime at={nextAttemptAt} />
        </span>
      )}
    </>
  );
}

function MessageRow({ delivery, statusPageId }: { delivery: Delivery; statusPageId: string }) {
  const client = useQueryClient();
  const mayWrite = useMay("write");
  const resend = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/status-pages/{statusPageId}/subscriptions/deliveries/{deliveryId}/resend", {
          params: { path: { statusPageId, deliveryId: delivery.id } },
        }),
      ),
    onSuccess: async () => {
      showNotice({ text: own.resent });
      await renewQueries(client, ["subscriptions", "of-page", statusPageId]);
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  const { purpose, title } = delivery;
  const what = title ?? own.purposes[purpose];
  return (
    <tr>
      <td>
        <bdi>{delivery.address}</bdi>
      </td>
      <td data-label={own.what}>
        <bdi>{what}</bdi>
      </td>
      <td data-label={own.outcome}>
        <Outcome delivery={delivery} />
      </td>
      <td data-label={own.at} className={textStyles.nowrap}>
        <DateTime at={delivery.created_at} />
      </td>
      <td>
        {mayWrite && delivery.status === "DEAD" && (
          <Button
            variant="default"
            size="xs"
            loading={resend.isPending}
            aria-label={`${own.resend} ${delivery.address} ${what}`}
            onClick={() => resend.mutate()}
          >
            {own.resend}
          </Button>
        )}
      </td>
    </tr>
  );
}

function MessageTable({ list, statusPageId }: { list: readonly Delivery[]; statusPageId: string }) {
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <thead>
        <tr>
          <th>{own.to}</th>
          <th>{own.what}</th>
          <th>{own.outcome}</th>
          <th>{own.at}</th>
          <th>
            <span className="unseen">{words.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {list.map((delivery) => (
          <MessageRow key={delivery.id} delivery={delivery} statusPageId={statusPageId} />
        ))}
      </tbody>
    </table>
  );
}

interface MessagesProps {
  readonly statusPageId: string;
  readonly search: AudienceSearch;
  readonly onChange: (search: AudienceSearch) => void;
}

/** Lists all messages to subscribers with their delivery status, newest first. */
export function Messages({ statusPageId, search, onChange }: MessagesProps) {
  const { outcome, subscriber } = search;
  const filter = {
    ...(outcome && { status: outcome }),
    ...(subscriber && { subscriptionId: subscriber }),
  };
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(
    deliveriesQuery(statusPageId, filter),
  );
  const list = data?.pages.flatMap(({ entries }) => entries);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Row gap={4} align="end" className={styles.bar}>
        <Choices
          label={own.filter}
          all={own.all}
          options={own.outcomes}
          chosen={outcome}
          onChoose={(next) => {
            const { outcome: _before, ...rest } = search;
            onChange({ ...rest, ...(next !== undefined && { outcome: next }) });
          }}
        />
        {subscriber && (
          <Link
            to="/status-pages/$statusPageId/subscribers"
            params={{ statusPageId }}
            search={{ view: "messages" }}
          >
            {own.allPeople}
          </Link>
        )}
      </Row>
      {subscriber && <p>{list?.[0] ? own.of(list[0].address) : own.ofOne}</p>}
      {error && <ErrorPanel error={error} title={words.notLoaded} onRetry={() => void refetch()} />}
      {!error && list === undefined && <Skeleton rows={6} />}
      {list?.length === 0 && (
        <EmptyState title={isFiltered ? own.none : own.empty}>
          <p>{own.emptyText}</p>
        </EmptyState>
      )}
      {list !== undefined && list.length > 0 && (
        <MessageTable list={list} statusPageId={statusPageId} />
      )}
      {hasNextPage && (
        <div>
          <Button variant="default" onClick={() => void fetchNextPage()}>
            {words.more}
          </Button>
        </div>
      )}
    </>
  );
}
