import { AddressLink } from "../parts/address-link.tsx";
import { CheckIcon } from "../parts/icons.tsx";
import { DateTime } from "../parts/time.tsx";
import { AlertKind } from "./alert-kind.tsx";
import styles from "./alerts.module.css";
import { DeliveryRow } from "./delivery-row.tsx";
import { type Decision, listEvents, type Message, type Story } from "./story.ts";
import { words } from "./words.ts";

const own = words.story;

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
      <div className={styles.eventHead}>
        <AlertKind type={heldAlertType ?? alertType} />
        {isHeld && <span className={styles.muted}>{words.list.held}</span>}
        {isReminder && <span className={styles.muted}>{words.list.reminder}</span>}
      </div>
      <p>{explanation ?? reason.replaceAll("-", " ")}</p>
      <p className={styles.links}>
        {parentCheckId !== null && (
          <AddressLink href={`/checks/${parentCheckId}`}>{own.parent}</AddressLink>
        )}
        {checkResultId !== null && name !== null && (
          <AddressLink href={`/checks/${checkId}?run=${checkResultId}`}>{own.run}</AddressLink>
        )}
      </p>
      {!isHeld && messages.length === 0 && <p className={styles.muted}>{words.list.toldNobody}</p>}
      {messages.length > 0 && (
        <ul className={styles.deliveries} aria-label={own.messages}>
          {messages.map((message) => (
            <DeliveryRow key={message.id} message={message} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Events of the alert, oldest first. */
export function Timeline({ story }: { readonly story: Story }) {
  return (
    <ol className={styles.timeline}>
      {listEvents(story).map((event) => (
        <li key={event.type === "decision" ? event.decision.id : event.type}>
          <span className={styles.muted}>
            <DateTime at={event.at} hasSeconds />
          </span>
          <div className={styles.event}>
            {event.type === "decision" && <DecisionEvent {...event} />}
            {event.type === "acknowledged" && (
              <p className={styles.eventHead}>
                <CheckIcon size={16} />
                <span>
                  {own.acknowledgedBy} <bdi>{event.by}</bdi>
                </span>
              </p>
            )}
            {event.type === "omitted" && <p className={styles.muted}>{own.omitted(event.count)}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}
