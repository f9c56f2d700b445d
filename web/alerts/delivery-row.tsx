import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { Row } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import styles from "./alerts.module.css";
import { nameKind } from "./describe-channel.ts";
import type { Message } from "./story.ts";
import { words } from "./words.ts";

const own = words.list;

/** Some channel types already include their name in the recipient. */
function nameRecipient({ type, recipient }: Message): string {
  const kind = nameKind(type);
  return recipient.startsWith(kind) ? recipient : `${kind} ${recipient}`;
}

type Step = Message["history"][number];

function StepLine({ step }: { readonly step: Step }) {
  const { at, what, statusCode, reason, by } = step;
  return (
    <li>
      <DateTime at={at} hasSeconds />{" "}
      {what === "replayed" ? own.replayedBy(by ?? "") : own.steps[what]}
      {statusCode !== null && reason === null && `, ${own.answered} ${statusCode}`}
      {reason !== null && `: ${reason}`}
    </li>
  );
}

/** The last attempt is shown in the row itself. */
function Steps({ history }: Pick<Message, "history">) {
  if (history.length < 2) return null;
  return (
    <details className={styles.steps}>
      <summary>{own.attempts(history.filter(({ what }) => what !== "replayed").length)}</summary>
      <ol>
        {history.map((step) => (
          <StepLine key={`${step.at} ${step.what}`} step={step} />
        ))}
      </ol>
    </details>
  );
}

function Replay({ message }: { readonly message: Message }) {
  const queryClient = useQueryClient();
  const replay = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/alert-notifications/{id}/replay", { params: { path: { id: message.id } } }),
      ),
    onSuccess: () => showNotice({ text: own.replayed }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["alerts"]),
  });
  return (
    <Button
      variant="default"
      size="xs"
      loading={replay.isPending}
      aria-label={`${own.replay}: ${message.recipient}`}
      onClick={() => replay.mutate()}
    >
      {own.replay}
    </Button>
  );
}

/** A notification: recipient, delivery status, attempts, and the button to send it again. */
export function DeliveryRow({ message }: { readonly message: Message }) {
  const mayWrite = useMay("write");
  const { status, sentAt, reason, statusCode, nextAttemptAt, alertChannelId } = message;
  const name = <bdi>{nameRecipient(message)}</bdi>;
  return (
    <Row as="li" gap={4} tight align="baseline" className={styles.delivery}>
      <span className={styles.main}>
        {alertChannelId !== null && mayWrite ? (
          <Link to="/alerts/channels/$channelId" params={{ channelId: String(alertChannelId) }}>
            {name}
          </Link>
        ) : (
          name
        )}
      </span>
      <span className={styles.outcome}>
        <span
          className={status === "DEAD" ? textStyles.bad : status === "SENT" ? textStyles.good : ""}
        >
          {own.statuses[status]}
        </span>{" "}
        {sentAt !== null && <DateTime at={sentAt} hasSeconds />}
        {statusCode !== null && reason === null && (
          <span className={textStyles.muted}>
            {" "}
            {own.answered} {statusCode}
          </span>
        )}
        {reason !== null && <span className={textStyles.bad}> {reason}</span>}
        {nextAttemptAt !== null && reason !== null && (
          <span className={textStyles.muted}>
            {" "}
            {own.nextAttempt} <DateTime at={nextAttemptAt} hasSeconds />
          </span>
        )}
        {message.digestId !== null && <span className={textStyles.muted}> {own.inDigest}</span>}
        <Steps history={message.history} />
      </span>
      {mayWrite && status !== "PENDING" && <Replay message={message} />}
    </Row>
  );
}
