import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { CheckIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import { AlertKind } from "./alert-parts.tsx";
import styles from "./alerts.module.css";
import { nameKind } from "./describe-channel.ts";
import {
  type Decision,
  listEvents,
  type Message,
  type Response,
  type Story,
  type StoryEvent,
} from "./story.ts";
import { storyWords } from "./story-words.ts";
import { words } from "./words.ts";

const listWords = words.list;

/**
 * Returns the channel type and recipient of a notification. Some recipients already start with the
 * name of the type, which is not repeated.
 */
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
      {what === "replayed" ? listWords.replayedBy(by ?? "") : listWords.steps[what]}
      {statusCode !== null && reason === null && `, ${listWords.answered} ${statusCode}`}
      {reason !== null && `: ${reason}`}
    </li>
  );
}

/**
 * Lists the delivery attempts of a notification. A single attempt is not listed, because the
 * notification's row already shows the last attempt.
 */
function Steps({ history }: Pick<Message, "history">) {
  if (history.length < 2) return null;
  return (
    <details className={styles.steps}>
      <summary>
        {listWords.attempts(history.filter(({ what }) => what !== "replayed").length)}
      </summary>
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
    onSuccess: () => showNotice({ text: listWords.replayed }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["alerts"]),
  });
  return (
    <Button
      variant="default"
      size="xs"
      loading={replay.isPending}
      aria-label={`${listWords.replay}: ${message.recipient}`}
      onClick={() => replay.mutate()}
    >
      {listWords.replay}
    </Button>
  );
}

/** Shows a notification: recipient, delivery status, attempts, and a button to send it again. */
function DeliveryRow({ message }: { readonly message: Message }) {
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
          {listWords.statuses[status]}
        </span>{" "}
        {sentAt !== null && <DateTime at={sentAt} hasSeconds />}
        {statusCode !== null && reason === null && (
          <span className={textStyles.muted}>
            {" "}
            {listWords.answered} {statusCode}
          </span>
        )}
        {reason !== null && (
          <span className={status === "CANCELLED" ? textStyles.muted : textStyles.bad}>
            {" "}
            {reason}
          </span>
        )}
        {nextAttemptAt !== null && reason === null && message.pageId !== null && (
          <span className={textStyles.muted}>
            {" "}
            {listWords.stepDue} <DateTime at={nextAttemptAt} hasSeconds />
          </span>
        )}
        {nextAttemptAt !== null && reason !== null && (
          <span className={textStyles.muted}>
            {" "}
            {listWords.nextAttempt} <DateTime at={nextAttemptAt} hasSeconds />
          </span>
        )}
        {message.heldUntil !== null && status === "PENDING" && (
          <span className={textStyles.muted}>
            {" "}
            {listWords.heldUntil} <DateTime at={message.heldUntil} /> {listWords.quiet}
          </span>
        )}
        {message.reroutedFromId !== null && (
          <span className={textStyles.muted}> {listWords.rerouted}</span>
        )}
        {message.digestId !== null && (
          <span className={textStyles.muted}> {listWords.inDigest}</span>
        )}
        <Steps history={message.history} />
      </span>
      {mayWrite && status !== "PENDING" && <Replay message={message} />}
    </Row>
  );
}

const own = storyWords;

interface DecisionEventProps {
  readonly decision: Decision;
  readonly messages: readonly Message[];
}

function DecisionEvent({ decision, messages }: DecisionEventProps) {
  const { heldAlertType, alertType, reason, explanation, parentCheckId } = decision;
  const { checkResultId, checkId, name, isReminder } = decision;
  const isHeld = heldAlertType !== null;
  return (
    <>
      <Row gap={4} tight>
        <AlertKind type={heldAlertType ?? alertType} />
        {isHeld && <span className={textStyles.muted}>{words.list.held}</span>}
        {isReminder && <span className={textStyles.muted}>{words.list.reminder}</span>}
      </Row>
      <p>{explanation ?? reason.replaceAll("-", " ")}</p>
      <Row as="p" gap={4} tight>
        {parentCheckId !== null && (
          <AddressLink href={`/checks/${parentCheckId}`}>{own.parent}</AddressLink>
        )}
        {checkResultId !== null && name !== null && (
          <AddressLink href={`/checks/${checkId}?run=${checkResultId}`}>{own.run}</AddressLink>
        )}
      </Row>
      {!isHeld && messages.length === 0 && (
        <p className={textStyles.muted}>{words.list.toldNobody}</p>
      )}
      {messages.length > 0 && (
        <ul aria-label={own.messages}>
          {messages.map((message) => (
            <DeliveryRow key={message.id} message={message} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Shows who snoozed, reassigned or escalated the alert, until which time and to whom. */
function ResponseEvent({ response }: { readonly response: Response }) {
  const { action, by, until, target } = response;
  return (
    <p>
      {own.responded[action]} <bdi>{by}</bdi>
      {until !== null && (
        <>
          {" "}
          {own.respondedUntil} <DateTime at={until} />
        </>
      )}
      {target !== null && (
        <>
          : <bdi>{target}</bdi>
        </>
      )}
    </p>
  );
}

function keyOf(event: StoryEvent): string {
  if (event.type === "decision") return event.decision.id;
  return event.type === "responded" ? event.response.id : event.type;
}

/** Lists the events of the alert, oldest first. */
export function Timeline({ story }: { readonly story: Story }) {
  return (
    <Stack as="ol" gap={0} className={styles.timeline}>
      {listEvents(story).map((event) => (
        <li key={keyOf(event)}>
          <span className={textStyles.muted}>
            <DateTime at={event.at} hasSeconds />
          </span>
          <Stack gap={1} className={textStyles.wrap}>
            {event.type === "decision" && <DecisionEvent {...event} />}
            {event.type === "acknowledged" && (
              <Row as="p" gap={4} tight>
                <CheckIcon size={16} />
                <span>
                  {own.acknowledgedBy} <bdi>{event.by}</bdi>
                </span>
              </Row>
            )}
            {event.type === "responded" && <ResponseEvent response={event.response} />}
            {event.type === "omitted" && (
              <p className={textStyles.muted}>{own.omitted(event.count)}</p>
            )}
          </Stack>
        </li>
      ))}
    </Stack>
  );
}
