import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { useMay } from "../api/session.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { DateTime } from "../parts/time.tsx";
import { AlertKind } from "./alert-kind.tsx";
import styles from "./alerts.module.css";
import { nameKind } from "./describe-channel.ts";
import { deliveriesQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.list;
type Alert = Schemas["Alert"];
type Delivery = Schemas["AlertNotification"];

/** Some kinds name themselves in whom they reach. */
function nameRecipient({ type, recipient }: Delivery): string {
  const kind = nameKind(type);
  return recipient.startsWith(kind) ? recipient : `${kind} ${recipient}`;
}

function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
  const mayWrite = useMay("write");
  const queryClient = useQueryClient();
  const replay = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/alert-notifications/{id}/replay", { params: { path: { id: delivery.id } } }),
      ),
    onSuccess: () => showNotice({ text: own.replayed }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["alerts"] }),
  });
  const { status, sentAt, reason, statusCode, attempts } = delivery;
  return (
    <li className={styles.row}>
      <span className={styles.main}>{nameRecipient(delivery)}</span>
      <span>
        <span className={status === "DEAD" ? styles.bad : status === "SENT" ? styles.good : ""}>
          {own.statuses[status]}
        </span>{" "}
        {sentAt !== null && <DateTime at={sentAt} />}
        <span className={styles.muted}>
          {statusCode !== null && ` ${own.answered} ${statusCode}`}
          {attempts !== 1 && `, ${own.attempts(attempts)}`}
        </span>
        {reason !== null && <span className={styles.bad}> {reason}</span>}
      </span>
      {mayWrite && status !== "PENDING" && (
        <Button
          variant="default"
          size="xs"
          loading={replay.isPending}
          aria-label={`${own.replay}: ${delivery.recipient}`}
          onClick={() => replay.mutate()}
        >
          {own.replay}
        </Button>
      )}
    </li>
  );
}

function Deliveries({ alert }: { readonly alert: Alert }) {
  const { data, error, refetch } = useQuery(deliveriesQuery(alert.id));
  return (
    <div className={styles.details}>
      <p>
        {own.why}: {alert.reason.replaceAll("-", " ")}
      </p>
      {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton rows={1} />}
      {data?.length === 0 && <p className={styles.muted}>{own.noDeliveries}</p>}
      {data !== undefined && data.length > 0 && (
        <ul>
          {data.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Messages({ alert }: { readonly alert: Alert }) {
  if (alert.heldAlertType !== null) return <span className={styles.muted}>{own.held}</span>;
  const { sent, pending, dead } = alert.messages;
  if (sent + pending + dead === 0) return <span className={styles.muted}>{own.toldNobody}</span>;
  return (
    <span className={styles.messages}>
      {sent > 0 && <span>{own.told(sent)}</span>}
      {pending > 0 && <span className={styles.muted}>{own.waiting(pending)}</span>}
      {dead > 0 && <span className={styles.bad}>{own.failed(dead)}</span>}
    </span>
  );
}

export function AlertRow({ alert }: { readonly alert: Alert }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        className={styles.summary}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span className={styles.muted}>
          <DateTime at={alert.at} />
        </span>
        <AlertKind type={alert.heldAlertType ?? alert.alertType} />
        <span className={styles.name}>
          {alert.name ?? own.deleted}
          {alert.isReminder && <span className={styles.muted}> {own.reminder}</span>}
        </span>
        <Messages alert={alert} />
      </button>
      {isOpen && <Deliveries alert={alert} />}
    </li>
  );
}
